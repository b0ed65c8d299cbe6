import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { WrongUsage } from './failure.ts';
import { Profile, profilePath } from './profile.ts';
import { Output, type Terminal } from './terminal.ts';

/** The options that every command understands. */
export interface GlobalOptions {
  readonly server?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** What a command does; its exit code, 0 when it gives none. */
export type Action<Options, Arguments extends unknown[]> = (
  context: CommandContext,
  options: Options,
  ...args: Arguments
) => Promise<number | void> | number | void;

/** Makes a commander action of a command's. */
export type Run = <Options, Arguments extends unknown[]>(
  action: Action<Options, Arguments>,
) => (...args: unknown[]) => Promise<void>;

const SERVER_DEFAULT = 'http://127.0.0.1:8080';

/** What a command works with. */
export class CommandContext {
  readonly terminal: Terminal;
  readonly output: Output;
  readonly profile: Profile;
  readonly #options: GlobalOptions;
  #client: TrellisClient | undefined;

  constructor(terminal: Terminal, options: GlobalOptions) {
    this.terminal = terminal;
    this.#options = options;
    this.output = new Output(terminal, options.json ?? false);
    this.profile = new Profile(profilePath(terminal.env));
  }

  /** Named by `--server`, `TRELLIS_SERVER`, the profile, or the default, in this order. */
  get server(): string {
    const { TRELLIS_SERVER } = this.terminal.env;
    return parseServer(
      this.#options.server ??
        (TRELLIS_SERVER || undefined) ??
        this.profile.server ??
        SERVER_DEFAULT,
    );
  }

  /** As who: `--token`, `TRELLIS_TOKEN`, or the session that was stored for this very server. */
  get token(): string | undefined {
    const { TRELLIS_TOKEN } = this.terminal.env;
    return (
      this.#options.token ??
      (TRELLIS_TOKEN || undefined) ??
      this.profile.session(this.server)?.token
    );
  }

  /** People wait for it: it tries once more, not five times. */
  get client(): TrellisClient {
    this.#client ??= new TrellisClient({
      baseUrl: this.server,
      token: this.token,
      retry: { retriesMax: 1, pauseMs: 200 },
    });
    return this.#client;
  }
}

/** One spelling of each server, so that its session is found again. */
function parseServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new WrongUsage(
      `"${text}" is not the address of a server`,
      'Write it with its scheme, such as http://127.0.0.1:8080.',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
