"""What AWS says now about instance types, zones and quotas, against the catalogue."""
