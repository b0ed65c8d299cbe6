import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, test } from 'vitest';
import { must } from '../../server/src/base/assert.ts';
import { field } from '../support/http-client.ts';
import { callTool } from '../support/mcp-client.ts';
import { Desk } from '../support/mcp-desk.ts';
import { Cluster } from './cluster.ts';
import { expectOk } from './workload.ts';

const TIMEOUT_MS = 180_000;

test(
  'an MCP client of a replica signs in at the primary, refreshes there, and is ended on both',
  async () => {
    await using cluster = await Cluster.create();
    const primary = await cluster.node('primary');
    const link = await cluster.link(primary);
    await primary.startPrimary({ MSK_PUBLIC_ADDRESS: link.address });
    const token = await primary.http.signIn();
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await primary.http.send({ method, path, token, body });
      expectOk(answer);
      return answer;
    };
    const replica = await cluster.node('replica');
    await send('PUT', '/api/workspace/settings', { ReplicaURLs: replica.address });
    await replica.startReplica(link, { MSK_PUBLIC_ADDRESS: replica.address });

    const desk = new Desk('http://127.0.0.1:4567/callback');
    const transport = () =>
      new StreamableHTTPClientTransport(new URL('/api/mcp', replica.address), {
        authProvider: desk,
      });
    const begun = transport();
    const refused = new Client({ name: 'desk', version: '1' }).connect(begun);
    await expect(refused).rejects.toThrow(UnauthorizedError);
    const asked = must(desk.authorizationUrl, 'an address');
    expect(asked.origin).toBe(link.address);
    expect(asked.searchParams.get('resource')).toBe(`${replica.address}/api/mcp`);
    const page = await fetch(asked, { redirect: 'manual' });
    const { hash } = new URL(page.headers.get('location') ?? '');
    const request = new URLSearchParams(hash.slice(hash.indexOf('?'))).get('request');
    const { json } = await send('POST', '/api/oauth/consent', { request, allow: true });
    const back = new URL(field(json, 'redirectTo'));
    await begun.finishAuth(back.searchParams.get('code') ?? '');

    const client = new Client({ name: 'desk', version: '1' });
    await client.connect(transport());
    const search = () => callTool({ client }, 'system__search', { query: 'nothing' });
    expect((await search()).isError).toBe(false);
    // As if the access token had expired: the client refreshes at the primary, and goes on.
    const old = must(desk.tokens(), 'tokens');
    desk.saveTokens({ ...old, access_token: 'expired' });
    expect((await search()).isError).toBe(false);
    expect(desk.tokens()?.refresh_token).not.toBe(old.refresh_token);

    const listed = await send('GET', '/api/tokens?kind=mcp');
    const id = field(listed.json, 'items', '0', 'id');
    await send('DELETE', `/api/tokens/${id}`);
    const refusal = () =>
      search().then(
        () => undefined,
        (error: unknown) => error,
      );
    await expect.poll(refusal).toBeInstanceOf(UnauthorizedError);
    await client.close();
  },
  TIMEOUT_MS,
);
