import { HttpClient } from './http-client.ts';
import { temporaryFolder, TrellisProcess } from './trellis-process.ts';

/** A server on a fresh store, an HTTP client, and the administrator's token. */
export interface TestWorkspace extends AsyncDisposable {
  readonly server: TrellisProcess;
  readonly http: HttpClient;
  readonly token: string;
  readonly storage: string;
}

export interface OwnWorkspace extends TestWorkspace {
  /** Kills the server, and starts it again on the same store and port. */
  restart(): Promise<void>;
}

export async function startWorkspace(
  env: Readonly<Record<string, string>> = {},
): Promise<OwnWorkspace> {
  const folder = await temporaryFolder();
  let server = await TrellisProcess.start({ storage: folder.path, env });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  return {
    get server() {
      return server;
    },
    http,
    token,
    storage: folder.path,
    restart: async () => {
      await server.kill();
      const samePort = { ...env, MSK_PORT: new URL(server.url).port };
      server = await TrellisProcess.start({ storage: folder.path, env: samePort });
    },
    [Symbol.asyncDispose]: async () => {
      await server.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export const LIBRARY_SCHEMA = {
  nodes: [
    {
      type: 'Book',
      key: 'Isbn',
      fields: { Title: 'String', Pages: 'Int', Published: 'Time', Tags: 'String[]' },
      label: 'Title',
    },
    { type: 'Author', key: 'Name', fields: { Born: 'Int' } },
  ],
  edges: [
    { type: 'WrittenBy', inverse: 'Wrote', fields: { Role: 'String' } },
    { type: 'Wrote', inverse: 'WrittenBy', fields: { Role: 'String' } },
  ],
};
