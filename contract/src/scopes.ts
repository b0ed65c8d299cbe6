/** The scopes of an API token and what each is for (specification, section 2.2). */
export const scopes = {
  ingestion: 'create and update nodes and edges',
  'ingestion:acl': 'additionally ingest access-control data (RestrictAccessTo*)',
  read: 'run graph queries',
  search: 'run searches',
  'admin:backup': 'snapshot and restore',
  'admin:tasks': 'scheduled-task management',
  'endpoints:run': 'invoke custom endpoints',
} as const;

export type Scope = keyof typeof scopes;

export const SCOPES = Object.keys(scopes) as readonly Scope[];

/** Each of them is enough to call the operation. */
export function scopesOf({
  scope,
}: {
  readonly scope?: Scope | readonly Scope[];
}): readonly Scope[] {
  return scope === undefined ? [] : [scope].flat();
}
