import { once } from 'node:events';
import { Writable } from 'node:stream';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  InitializeResultSchema,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import type { Terminal } from './terminal.ts';

export interface McpBridgeOptions {
  readonly terminal: Terminal;
  /** Address of the server, without a slash at its end. */
  readonly server: string;
  readonly token: string;
  /** Told of what goes wrong beside the answer to a request. */
  readonly onError: (error: Error) => void;
}

type Handlers = Required<Pick<Transport, 'onerror' | 'onmessage'>>;

/** JSON-RPC: of an implementation. */
const SERVER_ERROR = -32_000;

/**
 * The Model Context Protocol over standard input and output, passed on to a server that speaks it
 * over HTTP: messages go through as they are. Resolves once the client closes its end, or the
 * signal aborts.
 */
export async function bridgeMcp(options: McpBridgeOptions): Promise<void> {
  const { terminal, server, token, onError } = options;
  const http = new StreamableHTTPClientTransport(new URL(`${server}/api/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const stdio = new StdioServerTransport(terminal.stdin, writableOf(terminal.stdout));
  const fromServer: Handlers = {
    onerror: onError,
    onmessage(message) {
      negotiated(message, http);
      void stdio.send(message);
    },
  };
  const fromClient: Handlers = {
    onerror: onError,
    onmessage(message) {
      http.send(message).catch((error: unknown) => {
        // A notice has no answer: the transport has told of it already.
        if (!isJSONRPCRequest(message)) return;
        const { id } = message;
        const failure = { code: SERVER_ERROR, message: reasonOf(error, server) };
        void stdio.send({ jsonrpc: '2.0', id, error: failure });
      });
    },
  };
  Object.assign(http, fromServer);
  Object.assign(stdio, fromClient);
  await Promise.all([http.start(), stdio.start()]);
  // Rejects when the signal aborts, which is an end as well.
  await once(terminal.stdin, 'end', { signal: terminal.signal }).catch(() => {});
  await Promise.all([http.close(), stdio.close()]);
}

/** The transport tells the server the version that the two have agreed on. */
function negotiated(message: JSONRPCMessage, http: StreamableHTTPClientTransport): void {
  if (!isJSONRPCResultResponse(message)) return;
  const hello = InitializeResultSchema.safeParse(message.result);
  if (hello.success) http.setProtocolVersion(hello.data.protocolVersion);
}

/** What the server said, or that it did not answer. */
function reasonOf(error: unknown, server: string): string {
  const text = error instanceof Error ? error.message : String(error);
  const body = /\{.*\}/s.exec(text)?.[0];
  const said = body === undefined ? undefined : messageIn(body);
  if (said !== undefined) return said;
  return error instanceof TypeError ? `The server at ${server} does not answer` : text;
}

function messageIn(json: string): string | undefined {
  try {
    const { error } = Object(JSON.parse(json)) as {
      readonly error?: { readonly message?: unknown };
    };
    return typeof error?.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}

function writableOf(output: Terminal['stdout']): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      output.write(String(chunk));
      done();
    },
  });
}
