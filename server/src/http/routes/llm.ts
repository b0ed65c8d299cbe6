import type { FastifyReply } from 'fastify';
import { operations } from '@trellis/contract/operations/llm.ts';
import { must } from '#base/assert.ts';
import type { LlmAnswer, LlmCall } from '#assistant/router/llm-call.ts';
import type { Caller } from '#access/caller.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { disconnectSignal } from '../live-answers.ts';
import { errorAnswer, errorEvent, toProblem } from '../error-answer.ts';
import { startStream, untilDrained } from '../event-stream.ts';
import { SEQUENCE } from '../headers.ts';
import { answer, type Input, readInput, type Route, routesOf } from '../route.ts';
import type { Awaitable, HttpServices } from '../services.ts';

/** A client of Anthropic says in these how the body is meant. */
const PROTOCOL_HEADERS = ['anthropic-version', 'anthropic-beta'];

type LlmInput<O extends Operation> = Pick<Input<O>, 'body'> & Omit<LlmCall, 'body'>;

/**
 * The route of an operation of the LLM router. It answers as the provider does, at once or event by
 * event, no faster than the client reads. When the client leaves, the request to the provider ends.
 * A failure before the first event is an ordinary error; a later one is the last event.
 */
function llmRoute<const O extends Operation>(
  operation: O,
  handler: (input: LlmInput<O>, services: HttpServices) => Awaitable<LlmAnswer>,
): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services, onBrokenAnswer }) {
      const signal = disconnectSignal(reply);
      const caller: Caller = must(request.caller, 'the caller of the router');
      const headers = Object.fromEntries(
        PROTOCOL_HEADERS.flatMap((name) => {
          const value = request.headers[name];
          return typeof value === 'string' ? [[name, value] as const] : [];
        }),
      );
      const { body } = readInput(operation, request);
      const given = await handler({ body, caller, headers, signal }, services);
      reply.header(SEQUENCE, services.sequence()).header('request-id', request.id);
      if ('json' in given) {
        reply.header('content-type', 'application/json; charset=utf-8');
        return given.json;
      }
      startStream(reply);
      // The client learns at once that it has its stream.
      reply.raw.flushHeaders();
      try {
        await send(given.events, reply, signal);
        if (request.live?.problem !== undefined) throw request.live.problem;
      } catch (error) {
        const end = request.live?.problem;
        if (!signal.aborted || end !== undefined) {
          onBrokenAnswer(request.id, end ?? error);
          const problem = toProblem(end ?? error, operation);
          reply.raw.write(errorEvent(errorAnswer(problem, request.id, operation)));
        }
      }
      reply.raw.end();
      return undefined;
    },
  };
}

async function send(
  events: AsyncIterable<string>,
  { raw }: FastifyReply,
  signal: AbortSignal,
): Promise<void> {
  for await (const text of events) {
    if (signal.aborted) return;
    if (!raw.write(text)) await untilDrained(raw, signal);
  }
}

/** The protocol asks for a date that the router does not know. */
const CREATED_AT = '1970-01-01T00:00:00Z';

function openAiModel(id: string) {
  // 0 for the date, for the same reason.
  return { id, object: 'model', created: 0, owned_by: 'workspace' };
}

function anthropicModel(id: string) {
  return { type: 'model', id, display_name: id, created_at: CREATED_AT };
}

export const llmRoutes = routesOf(operations, {
  createChatCompletion: llmRoute(operations.createChatCompletion, (call, { llm }) =>
    llm.chat('openai', call),
  ),
  listOpenAiModels: async (_input, { llm }) => {
    const data = (await llm.models()).map(openAiModel);
    return answer(200, { object: 'list', data });
  },
  getOpenAiModel: async ({ params }, { llm }) =>
    answer(200, openAiModel(await llm.model(params.model))),
  createResponse: llmRoute(operations.createResponse, (call, { llm }) =>
    llm.chat('openai-responses', call),
  ),
  createEmbeddings: llmRoute(operations.createEmbeddings, (call, { llm }) => llm.embeddings(call)),
  createMessage: llmRoute(operations.createMessage, (call, { llm }) => llm.chat('anthropic', call)),
  countMessageTokens: llmRoute(operations.countMessageTokens, (call, { llm }) =>
    llm.countTokens(call),
  ),
  listAnthropicModels: async (_input, { llm }) => {
    const models = await llm.models();
    const ends = { first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
    return answer(200, { data: models.map(anthropicModel), has_more: false, ...ends });
  },
  getAnthropicModel: async ({ params }, { llm }) =>
    answer(200, anthropicModel(await llm.model(params.model))),
  listLlmUsage: async ({ query, caller }, { llm }) => {
    const user = must(caller.userUid, 'the user of a session');
    const isEverybody = caller.isAdmin || caller.isReadOnlyAdmin;
    return answer(200, await llm.usage(query, { user, isEverybody }));
  },
  getLlmBudgets: ({ caller }, { llmBudgets }) => answer(200, llmBudgets.get(caller)),
  putLlmBudgets: async ({ caller, body, address }, { llmBudgets }) =>
    answer(200, await llmBudgets.put(caller, body, address)),
  getLlmState: async (_input, { llm }) => answer(200, await llm.state()),
});
