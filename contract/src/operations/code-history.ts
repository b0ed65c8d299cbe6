import { z } from 'zod';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  codeChange,
  codeComparison,
  codeComparisonResult,
  codeDiff,
  codeDiffQuery,
  codeItemInPath,
  codeRestore,
  codeVersion,
  codeVersionQuery,
  endpointInHistory,
  historyQuery,
  inputRecording,
  recordedInputs,
} from '../shapes/code-history.ts';
import { endpointDefinition } from '../shapes/endpoint.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import { migration } from '../shapes/migration.ts';
import { moduleDefinition } from '../shapes/module.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';

const reads = { area: 'code-history', auth: 'admin', onReplica: 'serve' } as const;

export const operations = withIds({
  listCodeHistory: {
    ...reads,
    sdk: 'codeHistory.list',
    method: 'GET',
    path: '/api/code/history/all',
    query: historyQuery,
    responses: { 200: { description: 'Changes, newest first.', body: listOf(codeChange) } },
    errors: [],
    summary: 'List who changed which code when.',
  },

  listItemHistory: {
    ...reads,
    sdk: 'codeHistory.listItem',
    method: 'GET',
    path: '/api/code/history/item/{kind}/{+name}',
    params: codeItemInPath,
    query: pageQuery,
    responses: { 200: { description: 'Its changes, newest first.', body: listOf(codeChange) } },
    errors: ['code_version_not_found'],
    summary: 'List the changes of one item of code, which may be deleted.',
  },

  getCodeVersion: {
    ...reads,
    sdk: 'codeHistory.getVersion',
    method: 'GET',
    path: '/api/code/history/version/{kind}/{+name}',
    params: codeItemInPath,
    query: codeVersionQuery,
    responses: { 200: { description: 'The version, with its code.', body: codeVersion } },
    errors: ['code_version_not_found'],
    summary: 'Read one version of an item of code.',
  },

  diffCode: {
    ...reads,
    sdk: 'codeHistory.diff',
    method: 'GET',
    path: '/api/code/history/diff/{kind}/{+name}',
    params: codeItemInPath,
    query: codeDiffQuery,
    responses: { 200: { description: 'In what they differ.', body: codeDiff } },
    errors: ['code_version_not_found'],
    summary: 'Compare the text of two versions of an item of code.',
  },

  restoreCode: {
    sdk: 'codeHistory.restore',
    area: 'code-history',
    method: 'POST',
    path: '/api/code/history/restore/{kind}/{+name}',
    auth: 'admin-write',
    params: codeItemInPath,
    body: codeRestore,
    responses: {
      200: {
        description: 'The new version, with the old content; with compiles false it is a draft.',
        body: z.union([endpointDefinition, migration, moduleDefinition]),
      },
    },
    errors: [
      'code_version_not_found',
      'endpoint_built_in',
      'version_conflict',
      'not_read_only',
      'migration_running',
      'too_many_migrations',
      'too_many_modules',
      ...STORE_ERRORS,
    ],
    onReplica: 'redirect',
    summary: 'Make a new version with the code and the settings of an old one.',
  },

  compareCode: {
    sdk: 'codeHistory.compare',
    area: 'code-history',
    method: 'POST',
    path: '/api/code/history/compare/{kind}/{+name}',
    auth: 'admin',
    params: endpointInHistory,
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: codeComparison,
    responses: { 200: { description: 'How each ran.', body: codeComparisonResult } },
    errors: ['code_version_not_found', 'recorded_input_not_found', 'endpoint_not_compiled'],
    onReplica: 'redirect',
    summary: 'Run two versions of an endpoint with the same body, in the read-only scope.',
  },

  listRecordedInputs: {
    sdk: 'codeHistory.listRecordedInputs',
    area: 'code-history',
    method: 'GET',
    path: '/api/code/history/inputs/{kind}/{+name}',
    auth: 'admin',
    params: endpointInHistory,
    responses: { 200: { description: 'What was recorded, newest first.', body: recordedInputs } },
    errors: ['endpoint_not_found'],
    onReplica: 'redirect',
    summary: 'List the last bodies that an endpoint was called with, if they are recorded.',
  },

  recordInputs: {
    sdk: 'codeHistory.recordInputs',
    area: 'code-history',
    method: 'PUT',
    path: '/api/code/history/inputs/{kind}/{+name}',
    auth: 'admin-write',
    params: endpointInHistory,
    body: inputRecording,
    responses: { 200: { description: 'What is recorded by now.', body: recordedInputs } },
    errors: ['endpoint_not_found'],
    onReplica: 'redirect',
    summary: 'Switch the recording of the bodies of an endpoint on or off.',
  },
} as const satisfies Rows);
