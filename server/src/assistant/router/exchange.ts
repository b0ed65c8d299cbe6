import { anthropic } from './anthropic-protocol.ts';
import { refuseThread } from './anthropic-request.ts';
import type { JsonObject } from './json-members.ts';
import type { ClientProtocol, Protocol } from './llm-call.ts';
import { openAi } from './openai-protocol.ts';
import type { Answering, ClientAdapter, ProtocolAdapter } from './protocol-adapter.ts';
import { responses } from './responses-protocol.ts';

const ADAPTERS: Readonly<Record<Protocol, ProtocolAdapter>> = { openai: openAi, anthropic };

const CLIENTS: Readonly<Record<ClientProtocol, ClientAdapter>> = {
  ...ADAPTERS,
  'openai-responses': responses,
};

export function adapterOf(protocol: Protocol): ProtocolAdapter {
  return ADAPTERS[protocol];
}

/** Writes a stream for a client, event by event. */
export interface StreamWriter {
  /**
   * The text of whole events; may be empty. `event` is null for the `[DONE]` of OpenAI's protocol;
   * `raw` is the text from the provider.
   */
  write(event: JsonObject | null, raw: string): string;
  /** The text to send after the last event of the provider. */
  end(): string;
}

/** Translates one request of a client for the provider, and the answer back. */
export interface Exchange {
  /** The path after the base URL of the provider. */
  readonly path: string;
  readonly body: JsonObject;
  readonly isStream: boolean;
  /**
   * JSON text for the client, from an answer that is not streamed; `text` is the text from the
   * provider.
   */
  answer(answer: JsonObject, text: string): string;
  writer(): StreamWriter;
}

export interface ExchangeOptions extends Pick<Answering, 'now' | 'onMessage'> {
  readonly client: ClientProtocol;
  readonly provider: Protocol;
  readonly tokensPerAnswer: number;
}

/**
 * Passes answers through unchanged when client and provider use the same protocol; otherwise
 * translates them through the neutral form. Throws `llm_request_refused` for anything that the
 * neutral form cannot express, and for what no provider gets.
 */
export function exchangeOf(request: JsonObject, options: ExchangeOptions): Exchange {
  const { tokensPerAnswer, now, onMessage } = options;
  if (options.client === 'anthropic') refuseThread(request);
  const client = CLIENTS[options.client];
  const provider = adapterOf(options.provider);
  const isStream = request['stream'] === true;
  if (client === provider) {
    return {
      path: provider.path,
      isStream,
      body: provider.within(request, tokensPerAnswer),
      answer: (_answer, text) => text,
      writer: () => ({
        write: (event, raw) => (event !== null && provider.isUnasked(request, event) ? '' : raw),
        end: () => '',
      }),
    };
  }
  const sent = provider.writeRequest(client.readRequest(request), tokensPerAnswer);
  const answering = { request, now, onMessage };
  return {
    path: provider.path,
    isStream,
    body: provider.within(sent, tokensPerAnswer),
    answer: (answer) => JSON.stringify(client.writeAnswer(provider.readAnswer(answer), answering)),
    writer: () => {
      const meter = provider.meter();
      const reader = provider.answerReader();
      const writer = client.answerWriter(answering);
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
