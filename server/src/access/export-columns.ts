/** What every export says of a node (open-shapes, section 4); a field with one of these names gives way to it. */
export const EXPORT_COLUMNS = ['Link', 'UID', 'Type', 'EdgeCount', 'Timestamp'] as const;
