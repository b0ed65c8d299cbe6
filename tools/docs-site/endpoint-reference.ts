import {
  AI_EXAMPLES,
  FETCH_ANSWER_EXAMPLES,
  FETCH_OPTIONS_EXAMPLES,
  LOG_EXAMPLES,
} from './call-examples.ts';
import {
  type Declaration,
  declarationsOf,
  endpointSource,
  type Member,
  typesNamedIn,
  typesText,
  valuesOf,
} from './declarations.ts';
import type { Example } from './example.ts';
import { COMMITS_EXAMPLES, GRAPH_READS_EXAMPLES, WRITES_EXAMPLES } from './graph-examples.ts';
import {
  EDGE_OPTIONS_EXAMPLES,
  EXPLAINED_STEP_EXAMPLES,
  PATH_OPTIONS_EXAMPLES,
  QUERY_EXAMPLES,
  QUERY_START_EXAMPLES,
  SIMILARITY_OPTIONS_EXAMPLES,
} from './query-examples.ts';
import { SCOPE_EXAMPLES } from './scope-examples.ts';
import { SEARCH_EXAMPLES } from './search-examples.ts';

/** An interface on a page, with an example for each of its members. */
interface Part {
  readonly title: string;
  readonly file: string;
  readonly name: string;
  readonly examples: Readonly<Record<string, Example>>;
}

const SCOPE: Part = { title: '', file: 'scope.ts', name: 'Scope', examples: SCOPE_EXAMPLES };
const STARTS = partOf('Starts', 'query.ts', 'QueryStart', QUERY_START_EXAMPLES);
const QUERY = partOf('Steps', 'query.ts', 'Query', QUERY_EXAMPLES);
const PARTS_OF_SCOPE = [
  partOf('graph: reads', 'graph-reads.ts', 'GraphReads', GRAPH_READS_EXAMPLES),
  partOf('graph: writes', 'graph-writes.ts', 'Writes', WRITES_EXAMPLES),
  partOf('graph: commits', 'graph-writes.ts', 'GraphWrites', COMMITS_EXAMPLES),
  partOf('ai: calls', 'ai.ts', 'Ai', AI_EXAMPLES),
  partOf('search: requests', 'search.ts', 'SearchRequest', SEARCH_EXAMPLES),
  partOf('log: lines', 'scope.ts', 'Log', LOG_EXAMPLES),
  partOf('fetch: options', 'scope.ts', 'FetchOptions', FETCH_OPTIONS_EXAMPLES),
  partOf('fetch: answers', 'scope.ts', 'FetchAnswer', FETCH_ANSWER_EXAMPLES),
];
const OPTIONS_OF_QUERIES = [
  partOf('Options of paths', 'query.ts', 'PathOptions', PATH_OPTIONS_EXAMPLES),
  partOf('Options of edges', 'query.ts', 'EdgeOptions', EDGE_OPTIONS_EXAMPLES),
  partOf('Options of similarity', 'query.ts', 'SimilarityOptions', SIMILARITY_OPTIONS_EXAMPLES),
  partOf('What explain() tells of a step', 'query.ts', 'ExplainedStep', EXPLAINED_STEP_EXAMPLES),
];

/** What each page of the reference describes, by the name of the page. */
export const DESCRIBED: Readonly<Record<'scope' | 'query', readonly Part[]>> = {
  scope: [SCOPE, ...PARTS_OF_SCOPE],
  query: [STARTS, QUERY, ...OPTIONS_OF_QUERIES],
};

/** Interfaces that the other page describes. */
const OF_THE_OTHER = {
  scope: ['Query', 'QueryStart', 'PathOptions', 'SimilarityOptions', 'ExplainedStep'],
  query: [],
} as const;

/** Where the ends of a query begin in its interface, after the steps. */
const FIRST_END = 'nodes';

/** The scope of an endpoint: `endpoint/src` and its comments. */
export function scopePage(): string {
  return `# The scope of an endpoint

What the code of an [endpoint](../endpoints.md) is given: the one argument of its function. \`z\`, which is
[zod](https://zod.dev), is a global. \`trellis types\` writes all of this as types for your editor.

${membersText(SCOPE, declarationOf(SCOPE).members, '##')}
${PARTS_OF_SCOPE.map(partText).join('\n')}
${othersText('scope', SOURCES_OF_SCOPE)}`;
}

/** Where the types are that it names; `EdgeOptions` is that of a write. */
const SOURCES_OF_SCOPE = [
  'scope.ts',
  'nodes.ts',
  'graph-reads.ts',
  'graph-writes.ts',
  'ai.ts',
  'search.ts',
  'query.ts',
];

/** The types that the signatures of a page name, but for those that it describes. */
function othersText(page: keyof typeof DESCRIBED, sources: readonly string[]): string {
  const described = DESCRIBED[page].map(({ name }) => name);
  const signatures = DESCRIBED[page]
    .flatMap((part) => declarationOf(part).members)
    .flatMap((member) => member.signatures);
  const types = new Map(typesNamedIn(signatures.join('\n'), sources.map(endpointSource)));
  for (const name of [...described, ...OF_THE_OTHER[page]]) types.delete(name);
  return typesText(types);
}

/** All that `q()` can do. */
export function queryPage(): string {
  const { about, members } = declarationOf(QUERY);
  const end = members.findIndex(({ name }) => name === FIRST_END);
  return `# Query operators

\`q()\` begins a query in the code of an [endpoint](../endpoints.md#queries): a start, any number of steps, and an end.

\`\`\`text
const authors = await q().startAt('Book', 'b1').out('Author', 'WrittenBy').sortBy('Name').take(10).nodes();
\`\`\`

\`where\` and \`startWhere\` compare a field with a value by one of these: ${comparisons()}. \`in\` takes a list of values,
\`exists\` none; \`contains\` looks into a text or a list.

${partText(STARTS)}
## Steps

${about}

${membersText(QUERY, members.slice(0, end), '###')}
## Ends

${membersText(QUERY, members.slice(end), '###')}
${OPTIONS_OF_QUERIES.map(partText).join('\n')}
${othersText('query', ['query.ts', 'nodes.ts'])}`;
}

/** The members of the type `Comparison`. */
function comparisons(): string {
  const names = valuesOf('query.ts', 'Comparison');
  return names.map((name) => `\`${name}\``).join(', ');
}

function partOf(title: string, file: string, name: string, examples: Part['examples']): Part {
  return { title, file, name, examples };
}

function declarationOf({ file, name }: Part): Declaration {
  const found = declarationsOf(file).get(name);
  if (found === undefined) throw new Error(`endpoint/src/${file} has no interface ${name}`);
  return found;
}

function partText(part: Part): string {
  const { about, members } = declarationOf(part);
  return `## ${part.title}\n\n${about}\n\n${membersText(part, members, '###')}`;
}

function membersText({ examples }: Part, members: readonly Member[], heading: string): string {
  const texts = members.map(({ name, signatures, about }) => {
    const example = examples[name];
    if (example === undefined) throw new Error(`${name} has no example`);
    const signature = fence(signatures.join('\n'));
    return `${heading} ${name}\n\n${about}\n\n${signature}\n${exampleText(example)}`;
  });
  return texts.join('\n');
}

function exampleText({ code, body, answer }: Example): string {
  const shown = `Example:\n\n${fence(code)}`;
  if (answer === undefined) return shown;
  const call = body === undefined ? 'It' : `Called with \`${JSON.stringify(body)}\`, it`;
  return `${shown}\n${call} answers \`${JSON.stringify(answer)}\`.\n`;
}

function fence(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\`\n`;
}
