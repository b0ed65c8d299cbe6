import type { RequestOptions } from './test-server.ts';

export interface SampleRequest {
  readonly path: string;
  readonly json?: unknown;
  /** Of a success. */
  readonly status: number;
}

/** One good request for every operation of the contract. */
export const SAMPLE_REQUESTS: Readonly<Record<string, SampleRequest>> = {
  createLogin: {
    path: '/api/login/create',
    json: { user: 'ada', password: 'correct horse' },
    status: 200,
  },
  checkLogin: { path: '/api/login/check', status: 200 },
  changePassword: {
    path: '/api/login/password/change',
    json: { oldPassword: 'correct horse', newPassword: 'battery staple' },
    status: 204,
  },
  getSchema: { path: '/api/schema', status: 200 },
  putSchema: {
    path: '/api/schema',
    json: { nodes: [{ type: 'Word', key: 'lemma', fields: { lemma: 'String' } }], edges: [] },
    status: 200,
  },
  ingest: {
    path: '/api/ingest',
    json: { operations: [{ op: 'tryAdd', type: 'Word', key: 'dog' }] },
    status: 200,
  },
  createEndpoint: {
    path: '/api/endpoints/create',
    json: { name: 'words/lookup', code: 'export default () => 1;' },
    status: 201,
  },
  listEndpoints: { path: '/api/endpoints?skip=0&take=10', status: 200 },
  getEndpoint: { path: '/api/endpoints/words/lookup', status: 200 },
  putEndpoint: { path: '/api/endpoints/words/lookup', json: { cacheSeconds: 5 }, status: 200 },
  deleteEndpoint: { path: '/api/endpoints/words/lookup', status: 204 },
  checkEndpoint: { path: '/api/endpoints/check', json: { code: 'x' }, status: 200 },
  runEndpoint: { path: '/api/endpoints/run/words/lookup', json: { word: 'dog' }, status: 200 },
  runEndpointAlias: { path: '/api/cce/words/lookup', json: { word: 'dog' }, status: 200 },
  getReady: { path: '/api/graph/ready', status: 200 },
  getAvailableStatus: { path: '/api/available-status', status: 200 },
  getHealth: { path: '/health', status: 200 },
};

export function optionsOf({ json }: SampleRequest, as?: RequestOptions['as']): RequestOptions {
  return { ...(json === undefined ? {} : { json }), ...(as === undefined ? {} : { as }) };
}
