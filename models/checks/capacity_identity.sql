-- Nothing of any node is lost or counted twice: capacity + over = allocated + reserved_idle + idle + down + drained +
-- maintenance + unknown, in every slot, and no part is negative.
SELECT node_no, slot_no, resource, capacity_base, over_base, allocated_base
FROM core_node_slot
WHERE capacity_base + over_base
      <> allocated_base + reserved_idle_base + idle_base + down_base + drained_base + maintenance_base + unknown_base
   OR LEAST(capacity_base, over_base, allocated_base, reserved_idle_base, idle_base, down_base, drained_base,
            maintenance_base, unknown_base) < 0
