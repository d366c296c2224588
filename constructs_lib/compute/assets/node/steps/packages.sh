# Kernel and Neuron packages stay as the image brought them. Nothing is ever upgraded or downgraded.
#
# Another kernel has neither the Neuron driver nor the Lustre client until somebody builds them, and
# a driver older than the runtime runs no job.

hold_with_apt() {
  local names
  names=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' |
    sed -nE 's/^installed ((linux-(aws|image|headers|modules)|aws-neuronx-|lustre-client-modules-).*)/\1/p') ||
    return 1
  # Split on purpose: names of packages.
  # shellcheck disable=SC2086
  [[ -z "$names" ]] || retry 5 apt-mark -q hold $names || return 1
  write_file /etc/apt/apt.conf.d/99trnkit <<<'APT::Periodic::Update-Package-Lists "0";
APT::Periodic::Unattended-Upgrade "0";' || return 1
  # The timers are stopped; an upgrade that is running is not, for it would leave half of it.
  systemctl mask --now apt-daily.timer apt-daily-upgrade.timer &&
    systemctl mask unattended-upgrades.service
}

# Only names that are installed: kernel-devel for the running kernel and live patches stay possible.
hold_with_dnf() {
  local file=/etc/dnf/dnf.conf names text
  names=$(rpm -qa --qf '%{NAME}\n' |
    grep -E '^(kernel[0-9.]*(-core|-modules.*)?|aws-neuronx-.*)$' | sort -u | tr '\n' ' ')
  [[ -n "$names" ]] || return 0
  # One line, with what stands in such lines already: of several, dnf heeds the last.
  text=$(awk -v names="$names" '
    function add(words, list, i, n) {
      gsub(/,/, " ", words)
      n = split(words, list, " ")
      for (i = 1; i <= n; i++) if (!seen[list[i]]++) all = all " " list[i]
    }
    /^(exclude|excludepkgs)[ \t]*=/ { inside = 1; sub(/^[^=]*=/, ""); add($0); next }
    inside && /^[ \t]+[^ \t]/ { add($0); next }
    { inside = 0; line[++lines] = $0 }
    /^\[main\]/ { main = lines }
    END {
      add(names)
      if (!main) print "[main]\nexclude =" all
      for (i = 1; i <= lines; i++) { print line[i]; if (i == main) print "exclude =" all }
    }' < <(cat "${root}$file" 2>/dev/null)) || return 1
  write_file "$file" <<<"$text"
}

packages_steps() {
  [[ "${TRNKIT_HOLD_PACKAGES:-0}" == 1 ]] || return 0
  if command -v apt-get >/dev/null; then
    step_warning packages hold_with_apt
  else
    step_warning packages hold_with_dnf
  fi
}
