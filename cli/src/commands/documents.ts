import type {
  Extraction,
  ExtractionProposal,
  ProposalChoice,
} from '@trellis/contract/shapes/extraction.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions, wholeNumber } from '../listing.ts';
import { fieldsOf, namedNode } from '../node-words.ts';
import { scoreOf } from '../score.ts';
import { harmless, table } from '../terminal.ts';
import { succeededJob } from '../watched-job.ts';

const EXTRACTION = 'id of the extraction, as "trellis documents list" shows it';

interface ExtractOptions {
  readonly types: readonly string[];
  readonly edges?: readonly string[];
  readonly of?: string;
  readonly where?: readonly string[];
  readonly fields?: readonly string[];
  readonly files: boolean;
  readonly model?: string;
  readonly instructions?: string;
  readonly maxTokens?: string;
  readonly watch?: true;
}

interface ProposalOptions extends ListOptions {
  readonly state?: string;
  readonly type?: string;
  readonly document?: string | undefined;
  readonly minConfidence?: string | undefined;
}

type ChoiceOptions = Pick<ProposalOptions, 'document' | 'minConfidence'>;

/** `trellis documents`. */
export function addDocuments(program: Command, run: Run): void {
  const documents = program
    .command('documents')
    .summary('files and texts that become nodes and edges: extract, approve, reject')
    .description(
      'Reads files and texts with a model, and proposes nodes and edges of your schema with the ' +
        'quotes that they rest on. What you approve goes with the document that says so.',
    );
  documents
    .command('extract')
    .description('Reads files and texts of nodes, as a job.')
    .argument('[nodes...]', 'nodes whose texts are read: UIDs, or types and keys, such as Report/7')
    .requiredOption('--types <types...>', 'node types to look for')
    .option('--edges <types...>', 'edge types to look for')
    .option('--of <type>', 'read all nodes of this type')
    .option('--where <field=value...>', 'of these only nodes that have these values')
    .option('--fields <fields...>', 'read these texts of the nodes')
    .option('--no-files', 'leave their files out')
    .option('--model <model>', 'the model that reads (default: the first)')
    .option('--instructions <text>', 'what the model is told beside the schema')
    .option('--max-tokens <n>', 'tokens that it may use (default: 1000000)')
    .option('--watch', 'wait until it has ended; the exit code is 0 when it succeeds, else 1')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis documents extract --of Report --types Person Ship --edges Sails --watch\n' +
        '  $ trellis documents extract Report/7 --types Person --fields Body --no-files',
    )
    .action(
      run((context, options: ExtractOptions, nodes: string[]) => extract(context, options, nodes)),
    );
  documents
    .command('resume')
    .description('Goes on with an extraction that was cancelled, failed or is out of tokens.')
    .argument('<extraction>', EXTRACTION)
    .option('--max-tokens <n>', 'further tokens that it may use (default: 1000000)')
    .option('--watch', 'wait until it has ended; the exit code is 0 when it succeeds, else 1')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis documents resume 2nVd7LsXq4WkTc9RyHm5Bp --watch',
    )
    .action(
      run((context, options: Pick<ExtractOptions, 'maxTokens' | 'watch'>, id: string) =>
        resume(context, options, id),
      ),
    );
  addListOptions(documents.command('list').description('Lists extractions, the newest first.'))
    .addHelpText('after', '\nExamples:\n  $ trellis documents list --take 20')
    .action(run(list));
  documents
    .command('show')
    .description('Shows the texts of an extraction, and how far each is.')
    .argument('<extraction>', EXTRACTION)
    .addHelpText('after', '\nExamples:\n  $ trellis documents show 2nVd7LsXq4WkTc9RyHm5Bp')
    .action(run((context, _options: object, id: string) => show(context, id)));
  documents
    .command('delete')
    .description('Deletes an extraction with its proposals; what was approved stays.')
    .argument('<extraction>', EXTRACTION)
    .addHelpText('after', '\nExamples:\n  $ trellis documents delete 2nVd7LsXq4WkTc9RyHm5Bp')
    .action(run((context, _options: object, id: string) => remove(context, id)));
  addDeciding(documents, run);
}

function addDeciding(documents: Command, run: Run): void {
  addListOptions(
    documents
      .command('proposals')
      .description('Lists nodes and edges that are proposed, in the order of the texts.')
      .argument('<extraction>', EXTRACTION)
      .option('--state <state>', 'only those that are open, approved or rejected')
      .option('--type <type>', 'only nodes or edges of this type')
      .option('--document <number>', 'only those of this text, as "show" numbers them')
      .option('--min-confidence <score>', 'only those with at least this confidence, 0 to 1'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis documents proposals 2nVd7LsXq4WkTc9RyHm5Bp --state open',
    )
    .action(
      run((context, options: ProposalOptions, id: string) => proposals(context, options, id)),
    );
  for (const [name, decide, what] of [
    ['approve', approve, 'Writes open proposals: all, some by their ids, or those that fit.'],
    ['reject', reject, 'Says no to open proposals: all, some by their ids, or those that fit.'],
  ] as const) {
    documents
      .command(name)
      .description(what)
      .argument('<extraction>', EXTRACTION)
      .argument('[proposals...]', 'ids of proposals (default: all that are open)')
      .option('--document <number>', 'only those of this text, as "show" numbers them')
      .option('--min-confidence <score>', 'only those with at least this confidence, 0 to 1')
      .addHelpText(
        'after',
        `\nExamples:\n  $ trellis documents ${name} 2nVd7LsXq4WkTc9RyHm5Bp --min-confidence 0.9`,
      )
      .action(
        run((context, options: ChoiceOptions, id: string, ids: string[]) =>
          decide(context, id, choiceOf(options, ids)),
        ),
      );
  }
}

async function extract(
  context: CommandContext,
  options: ExtractOptions,
  nodes: readonly string[],
): Promise<void> {
  const { types, edges, of, where, fields, files, model, instructions } = options;
  const started = await context.client.documents.extract(
    {
      types: [...types],
      ...(edges === undefined ? {} : { edges: [...edges] }),
      documents: {
        files,
        ...(nodes.length === 0 ? {} : { nodes: nodes.map(namedNode) }),
        ...(of === undefined ? {} : { type: of }),
        ...(where === undefined ? {} : { where: await valuesOf(context, of, where) }),
        ...(fields === undefined ? {} : { fields: [...fields] }),
      },
      ...(model === undefined ? {} : { model }),
      ...(instructions === undefined ? {} : { instructions }),
      ...tokensOf(options),
    },
    { signal: context.terminal.signal },
  );
  await told(context, started, options);
}

/** Texts as the fields of the type have them. */
async function valuesOf(
  { client, terminal }: CommandContext,
  of: string | undefined,
  where: readonly string[],
): Promise<Record<string, unknown>> {
  if (of === undefined) throw new WrongUsage('--where chooses nodes of a type: name it with --of');
  const { types } = await client.nodes.listTypes({ signal: terminal.signal });
  const { key, fields = {} } = types.find(({ type }) => type === of) ?? {};
  return fieldsOf(
    { set: where },
    { ...(key === undefined ? {} : { [key]: 'String' }), ...fields },
    of,
  );
}

async function resume(
  context: CommandContext,
  options: Pick<ExtractOptions, 'maxTokens' | 'watch'>,
  id: string,
): Promise<void> {
  const { signal } = context.terminal;
  const started = await context.client.documents.resume(id, tokensOf(options), { signal });
  await told(context, started, options);
}

async function told(
  context: CommandContext,
  started: { readonly id: string; readonly extraction: string },
  { watch }: Pick<ExtractOptions, 'watch'>,
): Promise<void> {
  const { client, output, terminal } = context;
  if (watch !== true) {
    output.data(started, started.extraction);
    return output.note(`Follow it with "trellis job watch ${started.id}".`);
  }
  await succeededJob(context, started.id);
  const found = await client.documents.extraction(started.extraction, { signal: terminal.signal });
  output.note(`Look at it with "trellis documents proposals ${found.id}".`);
  output.data(found, table(RUN_HEAD, [runRow(found)]));
}

function tokensOf({ maxTokens }: Pick<ExtractOptions, 'maxTokens'>): { maxTokens?: number } {
  return maxTokens === undefined ? {} : { maxTokens: wholeNumber('--max-tokens', maxTokens) };
}

const RUN_HEAD = ['id', 'state', 'started', 'texts', 'read', 'failed', 'proposals', 'tokens'];

function runRow(run: Extraction): string[] {
  const { id, state, startedAt, documents, read, failed, proposals: found, tokensUsed } = run;
  return [id, state, startedAt, ...[documents, read, failed, found, tokensUsed].map(String)];
}

async function list({ client, output, terminal }: CommandContext, options: ListOptions) {
  const { signal } = terminal;
  const found = await listItems(options, (page) => client.documents.extractions(page, { signal }));
  output.data(found, table(RUN_HEAD, found.map(runRow)));
}

async function show({ client, output, terminal }: CommandContext, id: string): Promise<void> {
  const run = await client.documents.extraction(id, { signal: terminal.signal });
  const rows = run.texts.map((text) => [
    String(text.number),
    harmless(text.file?.name ?? `${text.name}: ${text.field}`),
    text.state,
    `${text.batchesRead}/${text.batches}`,
    ...[text.open, text.approved, text.rejected].map(String),
    String(text.dropped.quote + text.dropped.schema),
    harmless(text.reason ?? ''),
  ]);
  const head = ['number', 'text', 'state', 'parts', 'open', 'approved', 'rejected', 'dropped'];
  output.data(run, table([...head, 'reason'], rows));
}

async function remove({ client, output, terminal }: CommandContext, id: string): Promise<void> {
  await client.documents.deleteExtraction(id, { signal: terminal.signal });
  output.note('The extraction is deleted.');
  output.data({ id, deleted: true }, '');
}

async function proposals(
  { client, output, terminal }: CommandContext,
  { state, type, document, minConfidence, ...page }: ProposalOptions,
  id: string,
): Promise<void> {
  const { signal } = terminal;
  const query = {
    ...(state === undefined ? {} : { state: stateOf(state) }),
    ...(type === undefined ? {} : { type }),
    ...choiceOf({ document, minConfidence }, []),
  };
  const found = await listItems(page, (part) =>
    client.documents.proposals(id, { ...query, ...part }, { signal }),
  );
  const head = ['confidence', 'state', 'proposal', 'page', 'quote', 'id'];
  output.data(found, table(head, found.map(proposalRow)));
}

function proposalRow(proposal: ExtractionProposal): string[] {
  const { confidence, state, page, quote, id, refused } = proposal;
  const shown = refused === null ? state : `${state} (${refused})`;
  return [
    String(confidence),
    harmless(shown),
    harmless(inWords(proposal)),
    String(page ?? ''),
    harmless(quote),
    id,
  ];
}

function inWords({ type, key, fields, from, to, existing }: ExtractionProposal): string {
  if (from !== null && to !== null) {
    return `${from.type} ${from.key} -${type}-> ${to.type} ${to.key}`;
  }
  const values = Object.entries(fields).map(
    ([field, value]) => `${field}=${JSON.stringify(value)}`,
  );
  return [existing === null ? 'new' : 'known', type, key, ...values].join(' ');
}

async function approve(
  { client, output, terminal }: CommandContext,
  id: string,
  choice: ProposalChoice,
): Promise<void> {
  const done = await client.documents.approve(id, choice, { signal: terminal.signal });
  output.note(`Written: ${done.approved}, still open: ${done.refused.length}.`);
  const rows = done.refused.map((one) => [one.id, one.code, harmless(one.message)]);
  output.data(done, rows.length === 0 ? '' : table(['id', 'code', 'why'], rows));
}

async function reject(
  { client, output, terminal }: CommandContext,
  id: string,
  choice: ProposalChoice,
): Promise<void> {
  const done = await client.documents.reject(id, choice, { signal: terminal.signal });
  output.note(`Rejected: ${done.rejected}.`);
  output.data(done, '');
}

function choiceOf({ document, minConfidence }: ChoiceOptions, ids: readonly string[]) {
  return {
    ...(ids.length === 0 ? {} : { proposals: [...ids] }),
    ...(document === undefined ? {} : { document: wholeNumber('--document', document) }),
    ...(minConfidence === undefined
      ? {}
      : { minConfidence: scoreOf('--min-confidence', minConfidence) }),
  };
}

function stateOf(text: string): ExtractionProposal['state'] {
  if (text === 'open' || text === 'approved' || text === 'rejected') return text;
  throw new WrongUsage(`--state ${text} is not open, approved or rejected`);
}
