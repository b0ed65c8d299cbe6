import { CHANGE_ERRORS, type Rows, withIds } from '../operation.ts';
import {
  goldenSet,
  goldenSetChange,
  goldenSetInPath,
  goldenSetList,
  searchEvaluationList,
  searchEvaluationReport,
} from '../shapes/search-evaluation.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';

const reads = { area: 'search', auth: 'admin', onReplica: 'serve' } as const;
const writes = { area: 'search', auth: 'admin-write', onReplica: 'redirect' } as const;

export const operations = withIds({
  listGoldenSets: {
    ...reads,
    sdk: 'goldenSets.list',
    method: 'GET',
    path: '/api/search/golden-sets',
    responses: {
      200: { description: 'All, by name, without their queries.', body: goldenSetList },
    },
    errors: [],
    summary: 'List the golden sets: queries with the nodes that they should find.',
  },

  getGoldenSet: {
    ...reads,
    sdk: 'goldenSets.get',
    method: 'GET',
    path: '/api/search/golden-sets/{name}',
    params: goldenSetInPath,
    responses: { 200: { description: 'The set, with its queries.', body: goldenSet } },
    errors: ['golden_set_not_found'],
    summary: 'Read a golden set.',
  },

  putGoldenSet: {
    ...writes,
    sdk: 'goldenSets.put',
    method: 'PUT',
    path: '/api/search/golden-sets/{name}',
    params: goldenSetInPath,
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: goldenSetChange,
    responses: { 200: { description: 'The set as it is now.', body: goldenSet } },
    errors: [...CHANGE_ERRORS],
    summary: 'Make a golden set, or replace its queries; its runs stay.',
  },

  deleteGoldenSet: {
    ...writes,
    sdk: 'goldenSets.delete',
    method: 'DELETE',
    path: '/api/search/golden-sets/{name}',
    params: goldenSetInPath,
    responses: { 204: { description: 'It is gone, with its runs.' } },
    errors: ['golden_set_not_found', ...CHANGE_ERRORS],
    summary: 'Delete a golden set.',
  },

  runGoldenSet: {
    ...writes,
    sdk: 'goldenSets.run',
    method: 'POST',
    path: '/api/search/golden-sets/{name}/run',
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
      ...CHANGE_ERRORS,
    ],
    summary: 'Search the queries of a golden set, and compare the hits with those of its last run.',
  },

  listGoldenSetRuns: {
    ...reads,
    sdk: 'goldenSets.listRuns',
    method: 'GET',
    path: '/api/search/golden-sets/{name}/runs',
    params: goldenSetInPath,
    responses: { 200: { description: 'Newest first.', body: searchEvaluationList } },
    errors: ['golden_set_not_found'],
    summary: 'List the last runs of a golden set.',
  },
} as const satisfies Rows);
