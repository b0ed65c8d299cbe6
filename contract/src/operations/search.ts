import type { Operation } from '../operation.ts';
import {
  llmSearchChange,
  llmSearchSettings,
  searchIndexState,
  searchSettings,
  storedSynonyms,
  synonymChangeQuery,
  synonymList,
  synonymListHeaders,
  synonymListQuery,
  synonymLists,
  synonymQuery,
  synonymRecord,
} from '../shapes/search.ts';
import { LONG_BODY_BYTES_MAX } from '../request-limits.ts';

export const getSearchSettings = {
  id: 'getSearchSettings',
  sdk: 'search.getSettings',
  area: 'search',
  method: 'GET',
  path: '/api/search/settings',
  auth: 'admin',
  responses: { 200: { description: 'The settings as they hold.', body: searchSettings } },
  errors: [],
  onReplica: 'serve',
  summary: 'Read which types and fields can be searched, and how.',
} as const satisfies Operation;

export const putSearchSettings = {
  id: 'putSearchSettings',
  sdk: 'search.putSettings',
  area: 'search',
  method: 'PUT',
  path: '/api/search/settings',
  auth: 'admin-write',
  bodyBytesMax: LONG_BODY_BYTES_MAX,
  body: searchSettings,
  responses: { 200: { description: 'The settings after the change.', body: searchSettings } },
  errors: ['version_conflict', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Say which types and fields can be searched; what changed is indexed in the background.',
} as const satisfies Operation;

export const getLlmSearchSettings = {
  id: 'getLlmSearchSettings',
  sdk: 'search.getLlmSettings',
  area: 'search',
  method: 'GET',
  path: '/api/search/settings/llm',
  auth: 'admin',
  responses: { 200: { description: 'The settings as they hold.', body: llmSearchSettings } },
  errors: [],
  onReplica: 'serve',
  summary: 'Read which types and filters the search tool of models may use.',
} as const satisfies Operation;

export const putLlmSearchSettings = {
  id: 'putLlmSearchSettings',
  sdk: 'search.putLlmSettings',
  area: 'search',
  method: 'PUT',
  path: '/api/search/settings/llm',
  auth: 'admin-write',
  bodyBytesMax: LONG_BODY_BYTES_MAX,
  body: llmSearchChange,
  responses: { 200: { description: 'The settings after the change.', body: llmSearchSettings } },
  errors: ['version_conflict', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Say which types and filters the search tool of models may use; empty lists are all.',
} as const satisfies Operation;

export const getSearchIndex = {
  id: 'getSearchIndex',
  sdk: 'search.getIndex',
  area: 'stats',
  method: 'GET',
  path: '/api/search/index',
  auth: 'admin',
  responses: { 200: { description: 'The index of this process.', body: searchIndexState } },
  errors: [],
  onReplica: 'serve',
  summary: 'Read how far the search index is, and how large.',
} as const satisfies Operation;

export const listSynonyms = {
  id: 'listSynonyms',
  sdk: 'synonyms.list',
  area: 'search',
  method: 'GET',
  path: '/api/search/synonyms/list/for',
  auth: 'admin',
  role: 'CanManageSynonyms',
  headers: synonymListHeaders,
  query: synonymListQuery,
  responses: { 200: { description: 'The terms of one language, by name.', body: synonymList } },
  errors: [],
  onReplica: 'serve',
  summary: 'List the terms that have synonyms in a language; paged by X-MSK-SKIP and X-MSK-LIMIT.',
} as const satisfies Operation;

export const getSynonyms = {
  id: 'getSynonyms',
  sdk: 'synonyms.get',
  area: 'search',
  method: 'GET',
  path: '/api/search/synonyms/for',
  auth: 'admin',
  role: 'CanManageSynonyms',
  query: synonymQuery,
  responses: { 200: { description: 'What goes with the term.', body: synonymRecord } },
  errors: [],
  onReplica: 'serve',
  summary: 'Read the synonyms of a term, and words that are written much like it.',
} as const satisfies Operation;

export const putSynonyms = {
  id: 'putSynonyms',
  sdk: 'synonyms.put',
  area: 'search',
  method: 'PUT',
  path: '/api/search/synonyms/for',
  auth: 'admin-write',
  role: 'CanManageSynonyms',
  query: synonymChangeQuery,
  body: synonymLists,
  responses: { 200: { description: 'What goes with the term now.', body: storedSynonyms } },
  errors: ['storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Store the synonyms of a term, in one direction; replace=false adds to what there is.',
} as const satisfies Operation;
