import { operations } from '@trellis/contract/operations/ingest.ts';
import { must } from '#base/assert.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import { bodyBytesMaxOf } from '@trellis/contract/operation.ts';
import type { IngestStream } from '#access/ingest-service.ts';
import { bodyStream, saysTooMuch, wholeBody } from '../body/read-body.ts';
import { bodyTooLarge } from '../error-answer.ts';
import {
  requireContentType,
  type Route,
  routesOf,
  sendJson,
  validate,
  whileStreaming,
} from '../route.ts';

/**
 * The one operation whose body has no limit: NDJSON is handed on as it arrives, and only JSON is
 * held as a whole.
 */
function ingestRoute(operation: typeof operations.ingest): Route {
  return {
    operation,
    intake: 'stream',
    async handle(request, reply, context) {
      const { services, timeouts } = context;
      const caller = must(request.caller, 'the caller of an ingest');
      requireContentType(operation, request);
      const chunks = bodyStream(request, timeouts.streamIdle);
      let summary: IngestSummary;
      if (request.mediaType === 'application/x-ndjson') {
        summary = await whileStreaming(request, context, async () =>
          streamLines(chunks, await services.ingest.openStream(caller, request.ip)),
        );
      } else {
        const hold = context.bodies.hold(request);
        const bytesMax = bodyBytesMaxOf(operation);
        if (saysTooMuch(request.headers, bytesMax)) throw bodyTooLarge(bytesMax);
        const bytes = await wholeBody(chunks, bytesMax, hold);
        const body = await context.bodies.json(request, bytes, hold);
        const given = validate(operation.body, body, 'body');
        summary = await services.ingest.commit(caller, given.operations, request.ip);
      }
      return sendJson(reply, services, summary);
    },
  };
}

async function streamLines(
  chunks: AsyncIterable<Uint8Array>,
  stream: IngestStream,
): Promise<IngestSummary> {
  try {
    for await (const chunk of chunks) await stream.write(chunk);
    return await stream.end();
  } catch (error) {
    await stream.abort();
    throw error;
  }
}

export const ingestRoutes = routesOf(operations, {
  ingest: ingestRoute(operations.ingest),
});
