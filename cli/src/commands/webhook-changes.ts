import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import {
  type Webhook,
  webhookAction,
  type WebhookWithSecret,
} from '@trellis/contract/shapes/webhook.ts';
import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { listItems } from '../listing.ts';
import { userUid } from '../named.ts';
import { harmless } from '../terminal.ts';

interface SettingOptions {
  readonly url?: string;
  readonly types?: readonly string[];
  readonly edges?: readonly string[];
  readonly actions?: readonly string[];
  readonly as?: string;
  readonly payload?: 'full' | 'ids';
}

interface AddOptions extends SettingOptions {
  readonly url: string;
  readonly disabled?: boolean;
}

interface EditOptions extends SettingOptions {
  readonly name?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

/** What an option says for: no filter. */
const ALL = 'all';
export const WEBHOOK = 'name or id of the webhook';

/** `trellis webhook add`, `edit`. */
export function addWebhookChanges(webhook: Command, run: Run): void {
  addSettings(
    webhook
      .command('add')
      .description('Adds a webhook, and prints its secret on standard output, this once.')
      .argument('<name>', 'what people call it')
      .requiredOption('--url <url>', 'where deliveries go'),
  )
    .option('--disabled', 'send nothing yet; changes wait')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis webhook add crm --url https://crm.example.com/changes --types Task --actions created updated
  $ trellis webhook add shop --url https://shop.example.com/hook --as ann > secret.txt`,
    )
    .action(run((context, options: AddOptions, name: string) => add(context, options, name)));
  addSettings(
    webhook
      .command('edit')
      .description('Changes a webhook: what an option names, and nothing else.')
      .argument('<webhook>', WEBHOOK)
      .option('--name <name>', 'what people call it')
      .option('--url <url>', 'where deliveries go'),
  )
    .option('--enable', 'send deliveries; one that is paused goes on where it was')
    .addOption(new Option('--disable', 'send nothing; changes wait').conflicts('enable'))
    .addHelpText(
      'after',
      `
Examples:
  $ trellis webhook edit crm --types Task Person
  $ trellis webhook edit crm --enable
  $ trellis webhook edit crm --types all --as system`,
    )
    .action(run((context, options: EditOptions, name: string) => edit(context, options, name)));
}

function addSettings(command: Command): Command {
  return command
    .option('--types <type...>', `node types to tell of; "${ALL}" for no such filter`)
    .option('--edges <type...>', `edge types to tell of; "${ALL}" for no such filter`)
    .addOption(
      new Option('--actions <action...>', 'what has to happen').choices([
        ...webhookAction.options,
        ALL,
      ]),
    )
    .option('--as <user>', 'tell only what this user may see; "system" for everything')
    .addOption(
      new Option('--payload <kind>', 'bring nodes and fields, or ids alone').choices([
        'full',
        'ids',
      ]),
    );
}

/** The webhook with an id, else the one with a name. */
export async function namedWebhook(
  { client, terminal }: CommandContext,
  name: string,
): Promise<Webhook> {
  const { signal } = terminal;
  const all = await listItems({}, (page) => client.webhooks.list(page, { signal }));
  const byId = all.find(({ id }) => id === name);
  const found = byId === undefined ? all.filter((one) => one.name === name) : [byId];
  const [webhook] = found;
  if (webhook === undefined || found.length > 1) {
    const many = `${found.length} webhooks are called "${name}"`;
    throw new CommandFailure(found.length > 1 ? many : `There is no webhook "${name}"`, {
      code: 'webhook_not_found',
      hint: found.length > 1 ? 'Give its id.' : '"trellis webhook list" shows them.',
    });
  }
  return webhook;
}

/** On standard output alone, for a file or another program. */
export function printSecret({ output }: CommandContext, webhook: WebhookWithSecret): void {
  output.note('Its secret is shown this once:');
  output.data(webhook, webhook.secret);
}

async function add(context: CommandContext, options: AddOptions, name: string): Promise<void> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const settings = await settingsOf(client, options, signal);
  const body = { ...settings, name, url: options.url, enabled: options.disabled !== true };
  const made = await client.webhooks.create(body, { signal });
  output.note(`The webhook "${harmless(made.name)}" tells ${harmless(made.url)} what changes.`);
  printSecret(context, made);
}

async function edit(context: CommandContext, options: EditOptions, name: string): Promise<void> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const webhook = await namedWebhook(context, name);
  const { types, edges, actions, asUser, payload, url, enabled } = webhook;
  const body = {
    name: options.name ?? webhook.name,
    url,
    types: types && [...types],
    edges: edges && [...edges],
    actions: actions && [...actions],
    asUser,
    payload,
    ...(await settingsOf(client, options, signal)),
    enabled: options.enable === true || (enabled && options.disable !== true),
  };
  const changed = await client.webhooks.update(webhook.id, body, { signal });
  output.note(`The webhook "${harmless(changed.name)}" is ${changed.state}.`);
  output.data(changed, '');
}

async function settingsOf(client: TrellisClient, options: SettingOptions, signal: AbortSignal) {
  const { url, types, edges, actions, as, payload } = options;
  return {
    ...(url === undefined ? {} : { url }),
    ...(types === undefined ? {} : { types: filterOf(types) }),
    ...(edges === undefined ? {} : { edges: filterOf(edges) }),
    ...(actions === undefined
      ? {}
      : { actions: filterOf(actions)?.map((action) => webhookAction.parse(action)) ?? null }),
    ...(as === undefined
      ? {}
      : { asUser: as === 'system' ? null : await userUid(client, as, { signal }) }),
    ...(payload === undefined ? {} : { payload }),
  };
}

function filterOf(names: readonly string[]): string[] | null {
  return names.length === 1 && names[0] === ALL ? null : [...names];
}
