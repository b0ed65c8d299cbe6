import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

export interface Commit {
  readonly author: string;
  readonly message: string;
  /** Content by path; null removes. */
  readonly files: Readonly<Record<string, string | Uint8Array | null>>;
  /** Targets of links by path. */
  readonly links?: Readonly<Record<string, string>>;
}

/** Git's own server over HTTP, with one repository that a test commits to. */
export class GitServer implements AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly #folder: string;
  readonly #server;
  /** Requests that have reached Git. */
  readonly requests: string[] = [];

  private constructor(folder: string, server: ReturnType<typeof createServer>) {
    this.#folder = folder;
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.url = `${this.origin}/shop/.git`;
  }

  /** `password` of the user `reader`, where only this one may read. */
  static async start(folder: string, password?: string): Promise<GitServer> {
    const requests: string[] = [];
    const work = join(folder, 'shop');
    mkdirSync(work, { recursive: true });
    execFileSync('git', ['init', '-q', '-b', 'trunk', work]);
    const wanted = `Basic ${Buffer.from(`reader:${password}`).toString('base64')}`;
    const server = createServer((request, response) => {
      if (password !== undefined && request.headers.authorization !== wanted) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        return;
      }
      requests.push(request.url ?? '');
      void backend(folder, request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const made = new GitServer(folder, server);
    made.requests.push(...requests);
    return Object.assign(made, { requests });
  }

  commit({ author, message, files, links = {} }: Commit): void {
    const work = join(this.#folder, 'shop');
    for (const [path, content] of Object.entries(files)) {
      const file = join(work, path);
      mkdirSync(dirname(file), { recursive: true });
      if (content === null) this.git('rm', '-q', path);
      else writeFileSync(file, content);
    }
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(work, path));
    this.git('add', '-A');
    this.git('commit', '-q', '--author', author, '-m', message);
  }

  git(...args: readonly string[]): string {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    const cwd = join(this.#folder, 'shop');
    return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim();
  }

  /** The same, with something to read. */
  pipe(args: readonly string[], input: string): string {
    const cwd = join(this.#folder, 'shop');
    return execFileSync('git', [...args], { cwd, encoding: 'utf8', input }).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Git's `http-backend`, as a web server runs it (CGI). */
async function backend(folder: string, request: IncomingMessage, response: ServerResponse) {
  const { pathname, search } = new URL(request.url ?? '', 'http://git');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks);
  const end = answer.indexOf('\r\n\r\n');
  const headers = answer.subarray(0, end).toString().split('\r\n');
  for (const header of headers) {
    const [name = '', value = ''] = header.split(': ', 2);
    if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.end(answer.subarray(end + 4));
}
