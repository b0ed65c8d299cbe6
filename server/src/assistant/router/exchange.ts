import { anthropic } from './anthropic-protocol.ts';
import type { JsonObject } from './json-members.ts';
import type { Protocol } from './llm-call.ts';
import { openAi } from './openai-protocol.ts';
import type { ProtocolAdapter } from './protocol-adapter.ts';

const ADAPTERS: Readonly<Record<Protocol, ProtocolAdapter>> = { openai: openAi, anthropic };

export function adapterOf(protocol: Protocol): ProtocolAdapter {
  return ADAPTERS[protocol];
}

/** What a client gets of a stream, event by event. */
export interface StreamWriter {
  /**
   * Text of whole events, or none. `event` is null for the `[DONE]` of OpenAI's protocol; `raw` is
   * what was sent.
   */
  write(event: JsonObject | null, raw: string): string;
  /** What comes when the provider has come to its end. */
  end(): string;
}

/** One request of a client, as the provider gets it, and how its answer goes back. */
export interface Exchange {
  /** Where the request goes, after the provider's address. */
  readonly path: string;
  readonly body: JsonObject;
  readonly isStream: boolean;
  /** JSON text for the client, of an answer that is not streamed; `text` is what was sent. */
  answer(answer: JsonObject, text: string): string;
  writer(): StreamWriter;
}

export interface ExchangeOptions {
  readonly client: Protocol;
  readonly provider: Protocol;
  readonly tokensPerAnswer: number;
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * A client of the provider's own protocol gets what the provider sends. Any other gets it by way of
 * the neutral form. Throws `llm_request_refused` for what that has no words for.
 */
export function exchangeOf(request: JsonObject, options: ExchangeOptions): Exchange {
  const { tokensPerAnswer, now } = options;
  const client = adapterOf(options.client);
  const provider = adapterOf(options.provider);
  const isStream = request['stream'] === true;
  if (client === provider) {
    return {
      path: provider.path,
      isStream,
      body: provider.within(request, tokensPerAnswer),
      answer: (_answer, text) => text,
      writer: () => ({
        write: (event, raw) => (event !== null && client.isUnasked(request, event) ? '' : raw),
        end: () => '',
      }),
    };
  }
  const sent = provider.writeRequest(client.readRequest(request), tokensPerAnswer);
  return {
    path: provider.path,
    isStream,
    body: provider.within(sent, tokensPerAnswer),
    answer: (answer) => JSON.stringify(client.writeAnswer(provider.readAnswer(answer), now)),
    writer: () => {
      const meter = provider.meter();
      const reader = provider.answerReader();
      const writer = client.answerWriter({ request, now });
      return {
        write(event) {
          if (event === null) return '';
          meter.see(event);
          return reader.read(event).reduce((text, one) => text + writer.write(one), '');
        },
        end: () => writer.end(meter.counts),
      };
    },
  };
}
