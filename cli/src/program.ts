import { TrellisError } from '@trellis/client/trellis-error.ts';
import { Command, CommanderError } from 'commander';
import { type Action, CommandContext, type GlobalOptions, type Run } from './command-context.ts';
import { addAccess } from './commands/access.ts';
import { addAgent } from './commands/agent.ts';
import { addAi } from './commands/ai.ts';
import { addAnswers } from './commands/answers.ts';
import { addAudit } from './commands/audit.ts';
import { addChat } from './commands/chat.ts';
import { addCompletion } from './commands/completion.ts';
import { addDefinitions } from './commands/definitions.ts';
import { addDeployment } from './commands/deployment.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEndpoint } from './commands/endpoint.ts';
import { addExport } from './commands/export.ts';
import { addFile } from './commands/file.ts';
import { addImport } from './commands/import.ts';
import { addBackups } from './commands/backup.ts';
import { addJob } from './commands/job.ts';
import { addInit } from './commands/init.ts';
import { addInterface } from './commands/interface.ts';
import { addLicense } from './commands/license.ts';
import { addOAuthClient } from './commands/oauth-client.ts';
import { addOpenApi } from './commands/openapi.ts';
import { addPreview } from './commands/preview.ts';
import { addCluster } from './commands/cluster.ts';
import { addReplica } from './commands/replica.ts';
import { addLogin, addLogout } from './commands/login.ts';
import { addLogs } from './commands/logs.ts';
import { addMcp } from './commands/mcp.ts';
import { addMigration } from './commands/migration.ts';
import { addModule } from './commands/module.ts';
import { addNode } from './commands/node.ts';
import { addResearch } from './commands/research.ts';
import { addSchema } from './commands/schema.ts';
import { addSearch } from './commands/search.ts';
import { addSecret } from './commands/secret.ts';
import { addServe } from './commands/serve.ts';
import { addStats } from './commands/stats.ts';
import { addStatus } from './commands/status.ts';
import { addStorage } from './commands/storage.ts';
import { addTask } from './commands/task.ts';
import { addTrigger } from './commands/trigger.ts';
import { addConnector } from './commands/connector.ts';
import { addDocuments } from './commands/documents.ts';
import { addDuplicates } from './commands/duplicates.ts';
import { addWebhook } from './commands/webhook.ts';
import { addTeam } from './commands/team.ts';
import { addToken } from './commands/token.ts';
import { addTool } from './commands/tool.ts';
import { addTypes } from './commands/scope-types.ts';
import { addUid } from './commands/uid.ts';
import { addUser } from './commands/user.ts';
import {
  EXIT_FAILED,
  EXIT_GOOD,
  EXIT_WRONG_USAGE,
  failureText,
  reportOf,
  WrongUsage,
} from './failure.ts';
import type { Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

/** In the order of the help, under its headings. */
const COMMANDS = {
  'A server:': [
    addServe,
    addStatus,
    addDoctor,
    addLogs,
    addStats,
    addStorage,
    addBackups,
    addReplica,
    addCluster,
    addLicense,
  ],
  'People and rights:': [
    addLogin,
    addLogout,
    addUser,
    addTeam,
    addToken,
    addOAuthClient,
    addAccess,
    addAudit,
  ],
  'Data:': [
    addSchema,
    addNode,
    addImport,
    addExport,
    addFile,
    addDocuments,
    addDuplicates,
    addSearch,
    addUid,
  ],
  'Code:': [
    addInit,
    addDev,
    addEndpoint,
    addTypes,
    addDefinitions,
    addDeployment,
    addPreview,
    addMigration,
    addModule,
    addTask,
    addTrigger,
    addWebhook,
    addConnector,
    addJob,
    addSecret,
    addInterface,
    addOpenApi,
  ],
  'Models:': [addAi, addChat, addResearch, addTool, addAgent, addAnswers, addMcp],
  'This command:': [addCompletion],
} as const;

/**
 * Runs one command line, `argv` without interpreter and script. Resolves with the exit code; never
 * rejects.
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = EXIT_GOOD;
  let context: CommandContext | undefined;
  const run: Run =
    <Options, Arguments extends unknown[]>(action: Action<Options, Arguments>) =>
    async (...args) => {
      // Commander calls an action with its arguments, its options, and the command itself.
      const command = args.at(-1) as Command;
      const options = command.optsWithGlobals<Options & GlobalOptions>();
      context = new CommandContext(terminal, options);
      const rest = args.slice(0, -2) as Arguments;
      exitCode = (await action(context, options, ...rest)) ?? EXIT_GOOD;
    };
  try {
    await makeProgram(terminal, run).parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has said already what is wrong, or has shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_GOOD : EXIT_WRONG_USAGE;
    report(error, context, terminal);
    return error instanceof WrongUsage ? EXIT_WRONG_USAGE : EXIT_FAILED;
  }
}

export function makeProgram(terminal: Terminal, run: Run): Command {
  const program = new Command('trellis')
    .description('Trellis, an open knowledge-graph workspace server.')
    .version(VERSION)
    .option(
      '--server <url>',
      'address of the server; also TRELLIS_SERVER (default: from the profile)',
    )
    .option(
      '--token <token>',
      'token to use; TRELLIS_TOKEN is safer, since others can see arguments',
    )
    .option('--json', 'print data and errors as JSON')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHelpWidth: () => terminal.stdout.columns ?? 100,
      getErrHelpWidth: () => terminal.stderr.columns ?? 100,
    })
    .showHelpAfterError('(run it with --help for options and examples)')
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  $ trellis serve
  $ trellis login
  $ trellis import wordnet
  $ trellis chat "Which words mean dog?"
  $ trellis endpoint run lookup-word '{"word":"dog"}'

Data goes to stdout, the rest to stderr. Exit code: 0 good, 1 failed, 2 wrong usage.`,
    );
  for (const [heading, group] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const add of group) add(program, run);
  }
  // Under the last heading, like the completion.
  program.helpCommand('help [command]', 'show the help of a command');
  return program;
}

function report(error: unknown, context: CommandContext | undefined, terminal: Terminal): void {
  if (terminal.signal.aborted) {
    terminal.stderr.write('interrupted\n');
    return;
  }
  // A refusal has come from the server, so its address is a valid one.
  const server = error instanceof TrellisError && context !== undefined ? context.server : '';
  const failure = reportOf(error, server);
  const text =
    context?.output.isJson === true ? JSON.stringify({ error: failure }) : failureText(failure);
  terminal.stderr.write(`${text}\n`);
}
