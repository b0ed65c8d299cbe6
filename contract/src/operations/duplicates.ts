import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  duplicate,
  duplicateInPath,
  duplicateQuery,
  duplicateRule,
  duplicateRuleChange,
  duplicateRuleInPath,
  duplicateRuleList,
  duplicateSearch,
  merge,
  mergedNode,
  mergeInPath,
  mergeRequest,
  splitNodes,
} from '../shapes/duplicate.ts';
import { job } from '../shapes/job.ts';
import { listOf, pageQuery } from '../shapes/list.ts';

const reads = { area: 'duplicates', auth: 'admin', onReplica: 'serve' } as const;
const writes = { area: 'duplicates', auth: 'admin-write', onReplica: 'redirect' } as const;

export const operations = withIds({
  findDuplicates: {
    ...writes,
    sdk: 'duplicates.find',
    method: 'POST',
    path: '/api/duplicates/find',
    body: duplicateSearch,
    responses: { 202: { description: 'The job that looks for them.', body: job } },
    errors: ['duplicate_search_running', ...STORE_ERRORS],
    summary: 'Look for nodes of a type that may be one thing, as a job.',
  },

  listDuplicates: {
    ...reads,
    sdk: 'duplicates.list',
    method: 'GET',
    path: '/api/duplicates',
    query: duplicateQuery,
    responses: { 200: { description: 'The surest first.', body: listOf(duplicate) } },
    errors: [],
    summary: 'List pairs of nodes that may be one thing, with a score and why.',
  },

  dismissDuplicate: {
    ...writes,
    sdk: 'duplicates.dismiss',
    method: 'POST',
    path: '/api/duplicates/{id}/dismiss',
    params: duplicateInPath,
    responses: { 200: { description: 'The pair, which is not found again.', body: duplicate } },
    errors: ['duplicate_not_found', ...CHANGE_ERRORS],
    summary: 'Say that two nodes are two things; searches remember it.',
  },

  reopenDuplicate: {
    ...writes,
    sdk: 'duplicates.reopen',
    method: 'POST',
    path: '/api/duplicates/{id}/reopen',
    params: duplicateInPath,
    responses: { 200: { description: 'The pair, which is open again.', body: duplicate } },
    errors: ['duplicate_not_found', ...CHANGE_ERRORS],
    summary: 'Take back that two nodes are two things.',
  },

  mergeNodes: {
    ...writes,
    sdk: 'duplicates.merge',
    method: 'POST',
    path: '/api/duplicates/merge',
    body: mergeRequest,
    responses: { 200: { description: 'The node that stays.', body: mergedNode } },
    errors: [
      'node_not_found',
      'merge_refused',
      'invalid_operation',
      'not_unique',
      ...CHANGE_ERRORS,
    ],
    summary: 'Make one node of two, as one commit; the UID and the key of both lead to it.',
  },

  listMerges: {
    ...reads,
    sdk: 'duplicates.merges',
    method: 'GET',
    path: '/api/duplicates/merges',
    query: pageQuery,
    responses: { 200: { description: 'The newest first.', body: listOf(merge) } },
    errors: [],
    summary: 'List the merges that can be taken back.',
  },

  splitNodes: {
    ...writes,
    sdk: 'duplicates.split',
    method: 'POST',
    path: '/api/duplicates/merges/{id}/split',
    params: mergeInPath,
    responses: { 200: { description: 'The two nodes.', body: splitNodes } },
    errors: ['merge_not_found', 'merge_not_last', 'not_unique', ...CHANGE_ERRORS],
    summary: 'Take a merge back, as one commit.',
  },

  listDuplicateRules: {
    ...reads,
    sdk: 'duplicates.rules',
    method: 'GET',
    path: '/api/duplicates/rules',
    responses: { 200: { description: 'By type.', body: duplicateRuleList } },
    errors: [],
    summary: 'List what is compared of each type, and what is merged without asking.',
  },

  putDuplicateRule: {
    ...writes,
    sdk: 'duplicates.putRule',
    method: 'PUT',
    path: '/api/duplicates/rules/{type}',
    params: duplicateRuleInPath,
    body: duplicateRuleChange,
    responses: { 200: { description: 'The rule.', body: duplicateRule } },
    errors: ['duplicate_rule_limit_reached', ...CHANGE_ERRORS],
    summary: 'Say what is compared of a type, and from which score on a search merges by itself.',
  },

  deleteDuplicateRule: {
    ...writes,
    sdk: 'duplicates.deleteRule',
    method: 'DELETE',
    path: '/api/duplicates/rules/{type}',
    params: duplicateRuleInPath,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['duplicate_rule_not_found', ...CHANGE_ERRORS],
    summary: 'Delete the rule of a type.',
  },
} as const satisfies Rows);
