import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { PROGRAM } from './program.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command in a process of its own, with profiles in a folder of the test's. */
export function runTrellis(
  args: readonly string[],
  options: {
    readonly home: string;
    readonly server: string;
    readonly input?: string | undefined;
    readonly token?: string | undefined;
    /** Beyond those. */
    readonly env?: Readonly<Record<string, string>> | undefined;
  },
): Promise<Outcome> {
  const { home, server, input = '', token, env = {} } = options;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', PROGRAM, ...args],
      {
        env: {
          PATH: process.env['PATH'],
          HOME: home,
          XDG_CONFIG_HOME: join(home, 'config'),
          XDG_STATE_HOME: join(home, 'state'),
          TRELLIS_SERVER: server,
          ...(token === undefined ? {} : { TRELLIS_TOKEN: token }),
          ...env,
        },
      },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}
