import { aiProvidersChange, type AiProvidersChange } from '@trellis/contract/shapes/assistant.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { Prompt } from '../prompt.ts';
import { addAiBudgets } from './ai-budgets.ts';
import { addAiUsage } from './ai-usage.ts';

interface SetOptions {
  readonly askKey?: boolean;
}

/** `trellis ai`. */
export function addAi(program: Command, run: Run): void {
  const ai = program
    .command('ai')
    .summary('set up the servers that provide models')
    .description('Sets up the servers that provide models, and shows how much was used.');
  addAiUsage(ai, run);
  addAiBudgets(ai, run);
  const providers = ai
    .command('providers')
    .summary('read and change the providers')
    .description('Reads and changes the servers that provide models for chat and embeddings.');
  providers
    .command('get')
    .description('Prints the providers as JSON, without their keys.')
    .addHelpText('after', '\nExamples:\n  $ trellis ai providers get > providers.json')
    .action(run(getProviders));
  providers
    .command('set')
    .description(
      'Changes the providers. One that is left out stays as it is; null removes it. A stored ' +
        'key is kept while baseUrl is the same. The keys are read from TRELLIS_CHAT_KEY and ' +
        'TRELLIS_EMBEDDINGS_KEY, or asked for.',
    )
    .argument('<file>', 'JSON as "ai providers get" prints it; "-" reads standard input')
    .option('--ask-key', 'ask for the keys of the servers in the file')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis ai providers set providers.json --ask-key
  $ TRELLIS_EMBEDDINGS_KEY="$KEY" trellis ai providers set providers.json

With {"embeddings": {"provider": "openai-compatible", "baseUrl": "https://api.openai.com/v1", "model": "text-embedding-3-small"}}
in the file, texts are sent to that server. To set up chat, see docs/llm.md.`,
    )
    .action(
      run((context, options: SetOptions, file: string) => setProviders(context, options, file)),
    );
}

async function getProviders({ client, output, terminal }: CommandContext): Promise<void> {
  const providers = await client.aiProviders.get({ signal: terminal.signal });
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
      'Put it into the environment variable TRELLIS_CHAT_KEY or TRELLIS_EMBEDDINGS_KEY.',
    );
  }
  const change = parseChange(await readJson(terminal, file), file);
  const keys = await givenKeys(context, options, change);
  const providers = await client.aiProviders.put(withKeys(change, keys), {
    signal: terminal.signal,
  });
  for (const purpose of PURPOSES) {
    const provider = providers[purpose];
    if (provider !== null) {
      const { baseUrl, hasApiKey } = provider;
      output.note(`${baseUrl} is asked for ${purpose} ${hasApiKey ? 'with' : 'without'} a key.`);
    } else if (change[purpose] === null) output.note(`Nobody is asked for ${purpose}.`);
  }
  for (const { name, baseUrl, models, hasApiKey } of providers.furtherChat) {
    const key = hasApiKey ? 'with' : 'without';
    output.note(`${name}: ${baseUrl} is asked for ${models.join(', ')} ${key} a key.`);
  }
  output.data(providers, '');
}

const PURPOSES = ['chat', 'embeddings'] as const;
/** The keys, by purpose: `chat`, `embeddings`, and `chat-` with the name of a further provider. */
type Keys = ReadonlyMap<string, string>;

function purposesOf(change: AiProvidersChange): string[] {
  const further = change.furtherChat ?? [];
  return [...PURPOSES.filter((purpose) => change[purpose]), ...further.map(purposeOf)];
}

function purposeOf({ name }: { readonly name: string }): string {
  return `chat-${name}`;
}

async function givenKeys(
  { terminal }: CommandContext,
  { askKey }: SetOptions,
  change: AiProvidersChange,
): Promise<Keys> {
  const keys = new Map<string, string>();
  if (askKey === true) {
    using prompt = new Prompt(terminal);
    for (const purpose of purposesOf(change)) {
      keys.set(purpose, await prompt.askHidden(`Key of the ${purpose} server: `));
    }
  } else {
    for (const purpose of new Set([...PURPOSES, ...purposesOf(change)])) {
      const key = terminal.env[`TRELLIS_${purpose.toUpperCase().replaceAll('-', '_')}_KEY`];
      if (key) keys.set(purpose, key);
    }
  }
  return keys;
}

function parseChange(value: unknown, file: string): AiProvidersChange {
  const checked = aiProvidersChange.safeParse(withoutAnswers(value));
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CommandFailure(`${file} is not providers:\n  ${faults.join('\n  ')}`);
}

/**
 * The settings without the members that only responses have, so that printed settings can be sent
 * back.
 */
function withoutAnswers(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, member: unknown) =>
    name === 'hasApiKey' ? undefined : member,
  ) as unknown;
}

function withKeys(change: AiProvidersChange, keys: Keys): AiProvidersChange {
  const unused = PURPOSES.find((purpose) => keys.has(purpose) && !change[purpose]);
  if (unused !== undefined) {
    throw new WrongUsage(`a key is given, and no ${unused} server that it is for`);
  }
  const keyed = <P extends object>(provider: P, purpose: string): P => {
    const apiKey = keys.get(purpose);
    return apiKey === undefined ? provider : { ...provider, apiKey };
  };
  const { chat, furtherChat, embeddings } = change;
  return {
    ...change,
    ...(chat ? { chat: keyed(chat, 'chat') } : {}),
    ...(furtherChat ? { furtherChat: furtherChat.map((one) => keyed(one, purposeOf(one))) } : {}),
    ...(embeddings ? { embeddings: keyed(embeddings, 'embeddings') } : {}),
  };
}
