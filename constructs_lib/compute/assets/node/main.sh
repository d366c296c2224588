# The order of the steps, and what comes of them.

# A node carries only the steps that it needs when all of them stand in its user data.
if_present() { ! declare -F "$1" >/dev/null || "$@"; }

main() {
  mkdir -p "${root}/var/log"
  step environment write_environment
  # Before anything that takes time: jobs may be waiting already.
  if_present protect_lustre_mount_points
  if_present protect_home_mount_point
  if_present protect_s3_mount_points
  if_present instance_store_steps
  if_present lustre_steps
  if_present home_steps
  if_present s3_steps
  if_present compile_cache_steps
  log boot "$([[ $failed == 0 ]] && echo ok || echo failed)" ""
  return "$failed"
}
