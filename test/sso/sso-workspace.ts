import { field, HttpClient, type Answer } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { freePort } from './loopback-server.ts';
import type { PlainBrowser, Visit } from './plain-browser.ts';

/** A server that knows its public address, and what an administrator does with it. */
export interface SsoWorkspace extends AsyncDisposable {
  readonly url: string;
  readonly http: HttpClient;
  /** What the server has logged. */
  logged(): string;
  /** Kills the server and starts it again on the same storage. */
  restart(): Promise<void>;
  admin(path: string, body?: unknown, method?: string): Promise<Answer>;
  /** The UID of a new team. */
  createTeam(name: string): Promise<string>;
  /** The members of a team, by user name. */
  membersOf(team: string): Promise<string[]>;
  deactivate(userUid: string): Promise<void>;
}

export async function startSsoWorkspace(): Promise<SsoWorkspace> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { MSK_PORT: String(port), MSK_PUBLIC_ADDRESS: url, MSK_LOG_LEVEL: 'debug' };
  const servers = [await TrellisProcess.start({ storage: folder.path, env })];
  const http = new HttpClient(url);
  const token = await http.signIn();
  const admin: SsoWorkspace['admin'] = (path, body, method) =>
    http.send({ path, token, body, ...(method === undefined ? {} : { method }) });
  const stop = () => Promise.all(servers.map((server) => server.kill()));
  return {
    url,
    http,
    admin,
    logged: () => servers.map(({ stderr }) => stderr).join(''),
    async restart() {
      await stop();
      servers.push(await TrellisProcess.start({ storage: folder.path, env }));
    },
    async createTeam(name) {
      return field((await admin('/api/groups/group', { name }, 'PUT')).json, 'UID');
    },
    async membersOf(team) {
      const answer = await admin(`/api/groups/group/${team}/users`);
      const users: readonly unknown[] = Object(answer.json).items;
      return users.map((user) => field(user, 'UserName')).toSorted();
    },
    async deactivate(userUid) {
      const answer = await admin(`/api/users/user/${userUid}/deactivate`, undefined, 'POST');
      if (answer.status >= 300) throw new Error(`deactivate: ${answer.status} ${answer.text}`);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Begins a sign-in; the address of the provider's page. */
export async function beginLogin(
  { url }: SsoWorkspace,
  browser: PlainBrowser,
  provider: string,
  returnTo = '/',
): Promise<string> {
  const path = `/api/${provider}/get-login-url?returnTo=${encodeURIComponent(returnTo)}`;
  const visit = await browser.send(url + path);
  if (visit.status !== 200) throw new Error(`get-login-url: ${visit.status} ${visit.text}`);
  return field(JSON.parse(visit.text), 'url');
}

/** Takes the code of the page that a sign-in leads to, and exchanges it. */
export function exchange(
  { url }: SsoWorkspace,
  browser: PlainBrowser,
  location: string,
): Promise<Visit> {
  return browser.send(`${url}/api/login/exchange`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: signedInPage(location).get('code') }),
  });
}

/** The parameters of the page `#/signed-in`. */
export function signedInPage(location: string): URLSearchParams {
  const page = /#\/signed-in\?(.*)$/.exec(location)?.[1];
  if (page === undefined) throw new Error(`not the page of a sign-in: ${location}`);
  return new URLSearchParams(page);
}

/** The session of somebody who came back from the provider, as a program asks for it. */
export async function finishAsProgram(browser: PlainBrowser, callback: string): Promise<string> {
  const visit = await browser.send(callback, { headers: { accept: 'application/json' } });
  if (visit.status !== 200) throw new Error(`the return: ${visit.status} ${visit.text}`);
  return field(JSON.parse(visit.text), 'token');
}

/** Who a session belongs to. */
export async function whoIs(
  { http }: SsoWorkspace,
  token: string,
): Promise<{ uid: string; name: string }> {
  const { json } = await http.send({ path: '/api/login/check', token });
  return { uid: field(json, 'user', 'uid'), name: field(json, 'user', 'name') };
}

/** Status and code of a refusal, and its reason when it gives one. */
export function refusal({ status, text }: { status: number; text: string }): unknown[] {
  const { error } = JSON.parse(text);
  return [status, error.code, error.details?.reason].filter((part) => part !== undefined);
}
