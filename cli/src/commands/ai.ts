import { aiProvidersChange, type AiProvidersChange } from '@trellis/contract/shapes/assistant.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { Prompt } from '../prompt.ts';

interface SetOptions {
  readonly askKey?: boolean;
}

/** `trellis ai`. */
export function addAi(program: Command, run: Run): void {
  const providers = program
    .command('ai')
    .summary('the servers that are asked for what models do')
    .description('Sets which servers are asked for what models do.')
    .command('providers')
    .summary('read and change these servers')
    .description(
      'Reads and changes which servers are asked for what models do, such as embeddings.',
    );
  providers
    .command('get')
    .description('Prints the providers as JSON, without their keys.')
    .addHelpText('after', '\nExamples:\n  $ trellis ai providers get > providers.json')
    .action(run(getProviders));
  providers
    .command('set')
    .description(
      'Changes the providers: one that is left out stays as it is, null removes it. A stored key stays while baseUrl is the same. ' +
        'The key of the embeddings server is read from TRELLIS_EMBEDDINGS_KEY, or asked for.',
    )
    .argument('<file>', 'JSON as "ai providers get" prints it; "-" reads standard input')
    .option('--ask-key', 'ask for the key of the embeddings server')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis ai providers set providers.json --ask-key
  $ TRELLIS_EMBEDDINGS_KEY="$KEY" trellis ai providers set providers.json

With {"embeddings": {"provider": "openai-compatible", "baseUrl": "https://api.openai.com/v1", "model": "text-embedding-3-small"}}
in the file texts are sent to that server.`,
    )
    .action(
      run((context, options: SetOptions, file: string) => setProviders(context, options, file)),
    );
}

async function getProviders({ client, output, terminal }: CommandContext): Promise<void> {
  const providers = await client.getAiProviders({ signal: terminal.signal });
  output.data(providers, JSON.stringify(providers, null, 2));
}

async function setProviders(
  context: CommandContext,
  options: SetOptions,
  file: string,
): Promise<void> {
  const { client, output, terminal } = context;
  if (options.askKey === true && (file === '-' || terminal.stdin.isTTY !== true)) {
    throw new WrongUsage(
      'there is no terminal to ask for the key',
      'Put it into the environment variable TRELLIS_EMBEDDINGS_KEY.',
    );
  }
  const change = parseChange(await readJson(terminal, file), file);
  const key = await givenKey(context, options);
  const providers = await client.putAiProviders(key === undefined ? change : withKey(change, key), {
    signal: terminal.signal,
  });
  const { embeddings } = providers;
  output.note(
    embeddings === null
      ? 'Nobody is asked for embeddings.'
      : `${embeddings.baseUrl} is asked for embeddings ${embeddings.hasApiKey ? 'with' : 'without'} a key.`,
  );
  output.data(providers, '');
}

async function givenKey(
  { terminal }: CommandContext,
  { askKey }: SetOptions,
): Promise<string | undefined> {
  if (askKey !== true) return terminal.env['TRELLIS_EMBEDDINGS_KEY'] || undefined;
  using prompt = new Prompt(terminal);
  return prompt.askHidden('Key of the embeddings server: ');
}

function parseChange(value: unknown, file: string): AiProvidersChange {
  const checked = aiProvidersChange.safeParse(withoutAnswers(value));
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CommandFailure(`${file} is not providers:\n  ${faults.join('\n  ')}`);
}

/** What was printed can be set again. */
function withoutAnswers(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, member: unknown) =>
    name === 'hasApiKey' ? undefined : member,
  ) as unknown;
}

function withKey(change: AiProvidersChange, apiKey: string): AiProvidersChange {
  const { embeddings } = change;
  if (embeddings) return { ...change, embeddings: { ...embeddings, apiKey } };
  throw new WrongUsage('a key is given, and no embeddings server that it is for');
}
