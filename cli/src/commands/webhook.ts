import type { Webhook, WebhookDelivery } from '@trellis/contract/shapes/webhook.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { harmless, table } from '../terminal.ts';
import { addWebhookChanges, namedWebhook, printSecret, WEBHOOK } from './webhook-changes.ts';

const DELIVERIES_DEFAULT = '20';

/** `trellis webhook`. */
export function addWebhook(program: Command, run: Run): void {
  const webhook = program
    .command('webhook')
    .summary('addresses that are told what changes')
    .description(
      'Lists, adds and changes webhooks: addresses that are told what changes, in order, signed ' +
        'as Standard Webhooks has it. The origin of an address is in the setting fetchAllowList.',
    );
  addListOptions(webhook.command('list').description('Lists the webhooks, and how far each is.'))
    .addHelpText('after', '\nExamples:\n  $ trellis webhook list\n  $ trellis webhook list --json')
    .action(run(list));
  addWebhookChanges(webhook, run);
  webhook
    .command('show')
    .description('Shows a webhook.')
    .argument('<webhook>', WEBHOOK)
    .addHelpText('after', '\nExamples:\n  $ trellis webhook show crm')
    .action(run((context, _options: object, name: string) => show(context, name)));
  webhook
    .command('delete')
    .description('Deletes a webhook; nothing is sent any more.')
    .argument('<webhook>', WEBHOOK)
    .addHelpText('after', '\nExamples:\n  $ trellis webhook delete crm')
    .action(run((context, _options: object, name: string) => remove(context, name)));
  addListOptions(
    webhook
      .command('deliveries')
      .description(`Lists the last deliveries, newest first; ${DELIVERIES_DEFAULT} by default.`)
      .argument('<webhook>', WEBHOOK),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis webhook deliveries crm --take 100')
    .action(
      run((context, options: ListOptions, name: string) => deliveries(context, options, name)),
    );
  addDeeds(webhook, run);
}

function addDeeds(webhook: Command, run: Run): void {
  webhook
    .command('replay')
    .description('Delivers everything again from a sequence on, in order.')
    .argument('<webhook>', WEBHOOK)
    .requiredOption('--from <sequence>', 'the first sequence to deliver again')
    .addHelpText('after', '\nExamples:\n  $ trellis webhook replay crm --from 4711')
    .action(
      run((context, { from }: { readonly from: string }, name: string) =>
        replay(context, from, name),
      ),
    );
  webhook
    .command('test')
    .description('Sends a delivery without changes. The exit code is 0 when it arrives.')
    .argument('<webhook>', WEBHOOK)
    .addHelpText('after', '\nExamples:\n  $ trellis webhook test crm')
    .action(run((context, _options: object, name: string) => test(context, name)));
  webhook
    .command('rotate')
    .description(
      'Makes a new secret, and prints it on standard output, this once. For a day the one before ' +
        'signs as well.',
    )
    .argument('<webhook>', WEBHOOK)
    .addHelpText('after', '\nExamples:\n  $ trellis webhook rotate crm > secret.txt')
    .action(run((context, _options: object, name: string) => rotate(context, name)));
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const webhooks = await listItems(options, (page) => client.webhooks.list(page, { signal }));
  const rows = webhooks.map((one) => [
    harmless(one.name),
    harmless(one.url),
    stateOf(one),
    toldBy(one),
    one.lastDeliveredAt ?? '',
  ]);
  output.data(webhooks, table(['name', 'url', 'state', 'tells', 'last delivered'], rows));
}

function stateOf({ state, reason }: Webhook): string {
  return harmless(reason === null ? state : `${state}: ${reason}`);
}

function toldBy({ types, edges, actions }: Webhook): string {
  const what =
    types === null && edges === null ? ['everything'] : [...(types ?? []), ...(edges ?? [])];
  return [what.join(' '), ...(actions === null ? [] : [actions.join(' ')])].join(', ');
}

async function show(context: CommandContext, name: string): Promise<void> {
  const webhook = await namedWebhook(context, name);
  const { createdBy: _createdBy, ...told } = webhook;
  const rows = Object.entries(told).map(([member, value]) => [
    member,
    harmless(typeof value === 'string' ? value : JSON.stringify(value)),
  ]);
  context.output.data(webhook, table(['member', 'value'], rows));
}

async function remove(context: CommandContext, name: string): Promise<void> {
  const { client, output, terminal } = context;
  const { id, name: told } = await namedWebhook(context, name);
  await client.webhooks.delete(id, { signal: terminal.signal });
  output.note(`The webhook "${harmless(told)}" is deleted.`);
  output.data({ id, deleted: true }, '');
}

async function deliveries(
  context: CommandContext,
  { skip, take = DELIVERIES_DEFAULT }: ListOptions,
  name: string,
): Promise<void> {
  const { client, output, terminal } = context;
  const { id } = await namedWebhook(context, name);
  const { signal } = terminal;
  const items = await listItems({ ...(skip === undefined ? {} : { skip }), take }, (page) =>
    client.webhooks.deliveries(id, page, { signal }),
  );
  const headings = ['sequence', 'status', 'tried', 'last', 'ms', 'changes', 'answer'];
  output.data(items, table(headings, items.map(deliveryRow)));
}

function deliveryRow(delivery: WebhookDelivery): string[] {
  const { sequence, type, status, attempts, lastAttemptAt, durationMs, changes } = delivery;
  return [
    type === 'webhook.test' ? 'test' : String(sequence),
    status,
    String(attempts),
    lastAttemptAt,
    String(durationMs),
    String(changes),
    harmless(answerOf(delivery)),
  ];
}

function answerOf({ response, error }: WebhookDelivery): string {
  return error ?? String(response?.status ?? '');
}

async function replay(context: CommandContext, from: string, name: string): Promise<void> {
  if (!/^[1-9]\d{0,14}$/.test(from)) throw new WrongUsage(`--from ${from} is not a sequence`);
  const { client, output, terminal } = context;
  const { id } = await namedWebhook(context, name);
  const fromSequence = Number(from);
  const webhook = await client.webhooks.replay(id, { fromSequence }, { signal: terminal.signal });
  output.note(`The webhook "${harmless(webhook.name)}" goes on from sequence ${from}.`);
  output.data(webhook, '');
}

async function test(context: CommandContext, name: string): Promise<number> {
  const { client, output, terminal } = context;
  const { id } = await namedWebhook(context, name);
  const delivery = await client.webhooks.test(id, { signal: terminal.signal });
  const { durationMs, status } = delivery;
  const arrived = status === 'delivered';
  output.note(
    harmless(
      `${arrived ? 'It arrived' : 'It did not arrive'} (${durationMs} ms): ${answerOf(delivery)}`,
    ),
  );
  output.data(delivery, '');
  return arrived ? EXIT_GOOD : EXIT_FAILED;
}

async function rotate(context: CommandContext, name: string): Promise<void> {
  const { client, output, terminal } = context;
  const { id } = await namedWebhook(context, name);
  const webhook = await client.webhooks.rotateSecret(id, { signal: terminal.signal });
  output.note(`The webhook "${harmless(webhook.name)}" has a new secret.`);
  printSecret(context, webhook);
}
