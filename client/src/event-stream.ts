import { TrellisError } from './trellis-error.ts';

/** One event of a stream (HTML standard, section 9.2). */
export interface StreamEvent {
  readonly event: string;
  /** Id of the last event that had one; empty before. */
  readonly lastEventId: string;
  readonly data: string;
}

/** Longer than any event of the service. */
const LINE_CHARACTERS_MAX = 32 * 1024 * 1024;

/**
 * The events of an answer as they arrive; ends where the answer ends, and rejects when it breaks
 * off.
 */
export async function* readEvents(
  response: Response,
): AsyncGenerator<StreamEvent, void, undefined> {
  if (response.body === null) return;
  let event = '';
  let lastEventId = '';
  let data: string[] = [];
  for await (const line of linesOf(response.body, response)) {
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', lastEventId, data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*)(?::(?: ?)(.*))?$/s.exec(line) ?? [];
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) lastEventId = value;
  }
}

async function* linesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  response: Response,
): AsyncGenerator<string, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_CHARACTERS_MAX) {
        throw TrellisError.unexpectedAnswer(response, rest.slice(0, 100));
      }
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
  } finally {
    // Whoever leaves early, leaves the connection too.
    await reader.cancel().catch(() => undefined);
  }
}
