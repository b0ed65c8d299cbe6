import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

/** The official client, connected as whoever has the token. Rejects when it is not let in. */
export async function connectMcp(
  url: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<McpClient> {
  const transport = new StreamableHTTPClientTransport(new URL('/api/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** What a tool answered, as a program reads it. */
export async function callTool(
  { client }: Pick<McpClient, 'client'>,
  name: string,
  args: Record<string, unknown> = {},
): Promise<{ readonly isError: boolean; readonly value: unknown; readonly text: string }> {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
  const [first] = content as readonly { readonly text?: unknown }[];
  return { isError: isError === true, value: structuredContent, text: String(first?.text) };
}
