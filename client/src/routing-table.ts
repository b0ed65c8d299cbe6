/**
 * The operations that a replica answers, as the contract's rows say with `onReplica: 'serve'`; repeating one of them does
 * no harm. Kept here as text because the contract brings its schemas along; a test holds the two together. Left out are
 * those of the areas "status", "replicas" and "stats": they tell of the very server that is asked.
 */
export const SERVED_BY_REPLICAS: readonly string[] = [
  'DELETE /api/cce/{+name}',
  'DELETE /api/endpoints/run/{+name}',
  'DELETE /api/endpoints/token/run/{+name}',
  'GET /api/access/explain',
  'GET /api/access/nodes/{uid}',
  'GET /api/access/types',
  'GET /api/audit',
  'GET /api/build/catalog',
  'GET /api/build/compile-status',
  'GET /api/build/types',
  'GET /api/chatai/providers',
  'GET /api/code/history/all',
  'GET /api/code/history/diff/{kind}/{+name}',
  'GET /api/code/history/item/{kind}/{+name}',
  'GET /api/code/history/version/{kind}/{+name}',
  'GET /api/embeddings/similar/{uid}',
  'GET /api/endpoints',
  'GET /api/endpoints/{+name}',
  'GET /api/files/{uid}',
  'GET /api/files/{uid}/content',
  'GET /api/graph/export-definitions',
  'GET /api/groups',
  'GET /api/groups/group/{groupUID}',
  'GET /api/groups/group/{groupUID}/users',
  'GET /api/interfaces',
  'GET /api/login/check',
  'GET /api/login/providers',
  'GET /api/node/{uid}',
  'GET /api/node/{uid}/files',
  'GET /api/node/{uid}/history',
  'GET /api/openapi.json',
  'GET /api/saml/config',
  'GET /api/schema',
  'GET /api/search/golden-sets',
  'GET /api/search/golden-sets/{name}',
  'GET /api/search/golden-sets/{name}/runs',
  'GET /api/search/settings',
  'GET /api/search/settings/llm',
  'GET /api/search/synonyms/for',
  'GET /api/search/synonyms/list/for',
  'GET /api/tokens',
  'GET /api/users',
  'GET /api/users/user/{uid}',
  'GET /api/workspace/settings',
  'GET /api/{provider}/config',
  'POST /api/access/principals',
  'POST /api/cce/{+name}',
  'POST /api/embeddings/similar/{uid}',
  'POST /api/embeddings/uids',
  'POST /api/endpoints/check',
  'POST /api/endpoints/run/{+name}',
  'POST /api/endpoints/token/run/{+name}',
  'POST /api/login/create',
  'POST /api/mcp',
  'POST /api/node/download/csv',
  'POST /api/node/download/jsonl',
  'POST /api/node/download/synthetic/csv',
  'POST /api/node/download/synthetic/jsonl',
  'POST /api/node/download/zip',
  'POST /api/node/many/field',
  'POST /api/node/many/full',
  'POST /api/node/query',
];

const PATTERN = new RegExp(`^(?:${SERVED_BY_REPLICAS.map(patternOf).join('|')})$`);

/** Of the area "stats", although no endpoint can have one of these names. */
const STATISTICS = ['/api/endpoints/metrics', '/api/endpoints/logs', '/api/endpoints/logs/live'];

/** Whether a replica answers this method on this path (without base and query). */
export function isServedByReplicas(method: string, path: string): boolean {
  return PATTERN.test(`${method} ${path}`) && !STATISTICS.includes(path);
}

function patternOf(template: string): string {
  return template.replaceAll(/\{(\+?)\w+\}/g, (_, rest) => (rest === '+' ? '.+' : '[^/]+'));
}
