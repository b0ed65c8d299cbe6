import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { WrongUsage } from '../failure.ts';

/** `trellis mcp`. */
export function addMcp(program: Command, run: Run): void {
  program
    .command('mcp')
    .summary('speak the Model Context Protocol over standard input and output')
    .description(
      'Speaks the Model Context Protocol over standard input and output, for clients that ' +
        'start a command. Tools are endpoints, resources are nodes. The client has the rights of ' +
        'your token: a session of "trellis login", or better a token of kind "mcp" in ' +
        'TRELLIS_TOKEN.',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis token create mcp desktop --user ada
  $ TRELLIS_TOKEN="$TOKEN" trellis mcp --server https://graph.example.org

In the configuration of a desktop client:
  {
    "mcpServers": {
      "trellis": {
        "command": "trellis",
        "args": ["mcp", "--server", "https://graph.example.org"],
        "env": { "TRELLIS_TOKEN": "<the token>" }
      }
    }
  }

Clients that speak HTTP themselves need no command: POST /api/mcp with the token as a bearer token.`,
    )
    .action(run((context) => bridge(context)));
}

async function bridge({ terminal, server, token, output }: CommandContext): Promise<void> {
  if (token === undefined) {
    throw new WrongUsage(
      `there is no token for ${server}`,
      'Sign in with "trellis login", or put a token of kind "mcp" into TRELLIS_TOKEN.',
    );
  }
  // Loaded only here: it takes long, and no other command needs it.
  const { bridgeMcp } = await import('../mcp-bridge.ts');
  await bridgeMcp({ terminal, server, token, onError: (error) => output.note(error.message) });
}
