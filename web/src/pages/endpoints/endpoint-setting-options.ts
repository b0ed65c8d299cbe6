export const MODE_OPTIONS = [
  { value: 'sync', label: 'Sync' },
  { value: 'pooling', label: 'Pooling, for long runs' },
] as const;

export const ACCESS_OPTIONS = [
  { value: 'users', label: 'Every user' },
  { value: 'admins', label: 'Administrators only' },
] as const;
