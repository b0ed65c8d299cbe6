import { CHANGE_ERRORS, MODEL_ERRORS, type Rows, withIds } from '../operation.ts';
import { pageQuery } from '../shapes/list.ts';
import {
  chatCompletionRequest,
  embeddingsRequest,
  llmState,
  llmUsageList,
  messageCount,
  messageCountRequest,
  messageRequest,
  modelInPath,
  protocolObject,
  responseRequest,
} from '../shapes/llm.ts';
import { llmBudgets, llmBudgetsChange } from '../shapes/llm-budget.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';

const ROUTER_ERRORS = [...MODEL_ERRORS, 'too_many_requests'] as const;

export const operations = withIds({
  createChatCompletion: {
    area: 'llm',
    method: 'POST',
    path: '/api/llm/openai/v1/chat/completions',
    auth: 'token',
    tokens: ['llm-openai'],
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: chatCompletionRequest,
    responses: {
      200: {
        description: 'A completion, or with "stream" its chunks.',
        body: protocolObject,
        orEvents: true,
      },
    },
    errors: ROUTER_ERRORS,
    onReplica: 'redirect',
    summary: "Ask the provider of chat in OpenAI's protocol.",
  },

  listOpenAiModels: {
    area: 'llm',
    method: 'GET',
    path: '/api/llm/openai/v1/models',
    auth: 'token',
    tokens: ['llm-openai'],
    responses: { 200: { description: 'The models that may be asked.', body: protocolObject } },
    errors: ['llm_not_configured'],
    onReplica: 'redirect',
    summary: "List the models that may be asked, in OpenAI's protocol.",
  },

  getOpenAiModel: {
    area: 'llm',
    method: 'GET',
    path: '/api/llm/openai/v1/models/{+model}',
    auth: 'token',
    tokens: ['llm-openai'],
    params: modelInPath,
    responses: { 200: { description: 'The model.', body: protocolObject } },
    errors: ['llm_not_configured', 'model_not_found'],
    onReplica: 'redirect',
    summary: "Read one of the models that may be asked, in OpenAI's protocol.",
  },

  createResponse: {
    area: 'llm',
    method: 'POST',
    path: '/api/llm/openai/v1/responses',
    auth: 'token',
    tokens: ['llm-openai'],
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: responseRequest,
    responses: {
      200: {
        description: 'A response, or with "stream" its events.',
        body: protocolObject,
        orEvents: true,
      },
    },
    errors: ROUTER_ERRORS,
    onReplica: 'redirect',
    summary: "Ask the provider of chat by OpenAI's Responses API; nothing is stored.",
  },

  createEmbeddings: {
    area: 'llm',
    method: 'POST',
    path: '/api/llm/openai/v1/embeddings',
    auth: 'token',
    tokens: ['llm-openai'],
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: embeddingsRequest,
    responses: { 200: { description: 'Vectors of texts.', body: protocolObject } },
    errors: ['embeddings_not_configured', ...ROUTER_ERRORS.slice(1)],
    onReplica: 'redirect',
    summary: "Ask the provider of embeddings in OpenAI's protocol.",
  },

  createMessage: {
    area: 'llm',
    method: 'POST',
    path: '/api/llm/anthropic/v1/messages',
    auth: 'token',
    tokens: ['llm-anthropic'],
    tokenHeader: 'x-api-key',
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: messageRequest,
    responses: {
      200: {
        description: 'A message, or with "stream" its events.',
        body: protocolObject,
        orEvents: true,
      },
    },
    errors: ROUTER_ERRORS,
    onReplica: 'redirect',
    summary: "Ask the provider of chat in Anthropic's protocol.",
  },

  countMessageTokens: {
    area: 'llm',
    method: 'POST',
    path: '/api/llm/anthropic/v1/messages/count_tokens',
    auth: 'token',
    tokens: ['llm-anthropic'],
    tokenHeader: 'x-api-key',
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: messageCountRequest,
    responses: { 200: { description: 'How many it has.', body: messageCount } },
    errors: ROUTER_ERRORS,
    onReplica: 'redirect',
    summary: 'Count the tokens of a message before it is sent; estimated where nobody counts.',
  },

  getAnthropicModel: {
    area: 'llm',
    method: 'GET',
    path: '/api/llm/anthropic/v1/models/{+model}',
    auth: 'token',
    tokens: ['llm-anthropic'],
    tokenHeader: 'x-api-key',
    params: modelInPath,
    responses: { 200: { description: 'The model.', body: protocolObject } },
    errors: ['llm_not_configured', 'model_not_found'],
    onReplica: 'redirect',
    summary: "Read one of the models that may be asked, in Anthropic's protocol.",
  },

  listAnthropicModels: {
    area: 'llm',
    method: 'GET',
    path: '/api/llm/anthropic/v1/models',
    auth: 'token',
    tokens: ['llm-anthropic'],
    tokenHeader: 'x-api-key',
    responses: { 200: { description: 'The models that may be asked.', body: protocolObject } },
    errors: ['llm_not_configured'],
    onReplica: 'redirect',
    summary: "List the models that may be asked, in Anthropic's protocol.",
  },

  listLlmUsage: {
    sdk: 'llm.listUsage',
    area: 'llm',
    method: 'GET',
    path: '/api/llm/usage',
    auth: 'session',
    query: pageQuery,
    responses: {
      200: {
        description:
          'Use by day and token, the newest day first: of everybody for administrators, of the caller for others; and what is left to the caller.',
        body: llmUsageList,
      },
    },
    errors: [],
    onReplica: 'redirect',
    summary:
      'List what was used of models, by day, token, feature and model, of the last 31 days; and what is left of the day.',
  },

  getLlmBudgets: {
    sdk: 'llm.getBudgets',
    area: 'llm',
    method: 'GET',
    path: '/api/llm/budgets',
    auth: 'admin',
    responses: { 200: { description: 'Prices, and budgets as they are now.', body: llmBudgets } },
    errors: [],
    onReplica: 'redirect',
    summary: 'Read what teams may use of models in a month, and what they have used.',
  },

  putLlmBudgets: {
    sdk: 'llm.putBudgets',
    area: 'llm',
    method: 'PUT',
    path: '/api/llm/budgets',
    auth: 'admin-write',
    body: llmBudgetsChange,
    responses: { 200: { description: 'The budgets after the change.', body: llmBudgets } },
    errors: [...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Say what models cost, and what teams may use in a month, in tokens and money.',
  },

  getLlmState: {
    sdk: 'llm.getState',
    area: 'llm',
    method: 'GET',
    path: '/api/llm/state',
    auth: 'admin',
    responses: { 200: { description: 'How it has answered.', body: llmState } },
    errors: [],
    onReplica: 'redirect',
    summary: 'Read whether the provider of chat answers, and what was wrong when it did not.',
  },
} as const satisfies Rows);
