import { withIds, type Rows } from '../operation.ts';
import {
  goldenSet,
  goldenSetContent,
  goldenSetInPath,
  goldenSetList,
  searchEvaluationList,
  searchEvaluationReport,
} from '../shapes/search-evaluation.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';

export const operations = withIds({
  listGoldenSets: {
    sdk: 'goldenSets.list',
    area: 'search',
    method: 'GET',
    path: '/api/search/golden-sets',
    auth: 'admin',
    responses: {
      200: { description: 'All, by name, without their queries.', body: goldenSetList },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'List the golden sets: queries with the nodes that they should find.',
  },

  getGoldenSet: {
    sdk: 'goldenSets.get',
    area: 'search',
    method: 'GET',
    path: '/api/search/golden-sets/{name}',
    auth: 'admin',
    params: goldenSetInPath,
    responses: { 200: { description: 'The set, with its queries.', body: goldenSet } },
    errors: ['golden_set_not_found'],
    onReplica: 'serve',
    summary: 'Read a golden set.',
  },

  putGoldenSet: {
    sdk: 'goldenSets.put',
    area: 'search',
    method: 'PUT',
    path: '/api/search/golden-sets/{name}',
    auth: 'admin-write',
    params: goldenSetInPath,
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: goldenSetContent,
    responses: { 200: { description: 'The set as it is now.', body: goldenSet } },
    errors: ['storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Make a golden set, or replace its queries; its runs stay.',
  },

  deleteGoldenSet: {
    sdk: 'goldenSets.delete',
    area: 'search',
    method: 'DELETE',
    path: '/api/search/golden-sets/{name}',
    auth: 'admin-write',
    params: goldenSetInPath,
    responses: { 204: { description: 'It is gone, with its runs.' } },
    errors: ['golden_set_not_found', 'version_conflict', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Delete a golden set.',
  },

  runGoldenSet: {
    sdk: 'goldenSets.run',
    area: 'search',
    method: 'POST',
    path: '/api/search/golden-sets/{name}/run',
    auth: 'admin-write',
    params: goldenSetInPath,
    responses: {
      200: {
        description: 'How good the hits are, and what has changed.',
        body: searchEvaluationReport,
      },
    },
    errors: [
      'golden_set_not_found',
      'evaluation_running',
      'evaluation_timeout',
      'invalid_query',
      'version_conflict',
      'storage_failed',
      'storage_full',
    ],
    onReplica: 'redirect',
    summary: 'Search the queries of a golden set, and compare the hits with those of its last run.',
  },

  listGoldenSetRuns: {
    sdk: 'goldenSets.listRuns',
    area: 'search',
    method: 'GET',
    path: '/api/search/golden-sets/{name}/runs',
    auth: 'admin',
    params: goldenSetInPath,
    responses: { 200: { description: 'Newest first.', body: searchEvaluationList } },
    errors: ['golden_set_not_found'],
    onReplica: 'serve',
    summary: 'List the last runs of a golden set.',
  },
} as const satisfies Rows);
