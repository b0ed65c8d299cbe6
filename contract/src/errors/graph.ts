import type { ErrorGroup } from './entry.ts';

/** Nodes, schema, ingestion and queries. */
export const graphErrors = {
  node_not_found: {
    status: 404,
    title: 'Node not found',
    hint: 'It does not exist, or you may not see it.',
  },
  schema_conflict: {
    status: 409,
    title: 'Schema change would lose data',
    hint: 'A schema can only grow: add types and fields, or widen a field type.',
  },
  schema_in_use: {
    status: 409,
    title: 'Schema change breaks what is in use',
    hint: 'The details name what breaks. Mend it first, or send force: true.',
  },
  schema_alias_not_found: {
    status: 404,
    title: 'Alias not found',
    hint: 'GET /api/schema lists the former names that there are in aliases.',
  },
  schema_change_not_found: {
    status: 404,
    title: 'Schema change not found',
    hint: 'GET /api/schema/changes lists the newest ones.',
  },
  not_unique: {
    status: 422,
    title: 'Value is taken',
    hint: 'Another node of the type has this value, and a unique index lets only one have it.',
  },
  index_not_found: {
    status: 404,
    title: 'Index not found',
    hint: 'Compare type and fields with GET /api/schema.',
  },
  index_needed: {
    status: 400,
    title: 'Too much to be read without an index',
    hint: 'Add an index of details.field, or filter by a field that has one.',
  },
  duplicate_not_found: {
    status: 404,
    title: 'Pair of nodes not found',
    hint: 'GET /api/duplicates lists the pairs; a later search may have found others.',
  },
  duplicate_search_running: {
    status: 409,
    title: 'A search for duplicates is running',
    hint: 'Wait until its job, details.id, has ended, or cancel it.',
  },
  duplicate_rule_not_found: {
    status: 404,
    title: 'Rule not found',
    hint: 'GET /api/duplicates/rules lists the rules.',
  },
  duplicate_rule_limit_reached: {
    status: 409,
    title: 'Too many rules',
    hint: 'Delete the rule of a type that needs none.',
  },
  merge_refused: {
    status: 409,
    title: 'Nodes cannot be merged',
    hint: 'Compare the two nodes; details.reason names what stands in the way.',
  },
  merge_not_found: {
    status: 404,
    title: 'Merge not found',
    hint: 'GET /api/duplicates/merges lists the merges that can be split.',
  },
  merge_not_last: {
    status: 409,
    title: 'Merge is not the last one of its node',
    hint: 'Split the merge that details.id names first.',
  },
  version_conflict: {
    status: 409,
    title: 'Changed in the meantime',
    hint: 'Read the node again and repeat the change on its new version.',
  },
  write_conflict: {
    status: 409,
    title: 'Others have changed what the call has read',
    hint: 'Nothing of it was written. Send the request again.',
    retryAfterSeconds: 1,
  },
  node_version_not_found: {
    status: 404,
    title: 'Version of a node not found',
    hint: 'Compare with GET /api/node/{uid}/history, which keeps no values that are large.',
  },
  invalid_operation: {
    status: 422,
    title: 'Operation cannot be applied',
    hint: 'Correct the operation at position details.index; nothing of its commit was applied.',
  },
  team_in_use: {
    status: 409,
    title: 'Nodes are restricted to the team',
    hint: 'First lift the restrictions of those nodes to it: without any they would be for everyone.',
  },
  commit_too_large: {
    status: 413,
    title: 'Commit too large',
    hint: 'Send the operations in several commits.',
  },
  payload_too_large: {
    status: 413,
    title: 'Commit too large for the log',
    hint: 'Send the operations in several commits.',
  },
  ingest_aborted: {
    status: 400,
    title: 'Ingest stream aborted',
    hint: 'Send the operations again that details.committed does not count.',
  },
  invalid_query: {
    status: 400,
    title: 'Query cannot be run',
    hint: 'Compare types, edges, fields and operators with the schema.',
  },
} as const satisfies ErrorGroup;
