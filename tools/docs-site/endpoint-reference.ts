import { declarationsOf, valuesOf, type Declaration, type Member } from './declarations.ts';
import { SCOPE_EXAMPLES } from './scope-examples.ts';

/** Where each end of a query begins in its interface, after the steps. */
const FIRST_END = 'nodes';

/** The scope of an endpoint, with an example for each member: `endpoint/src` and its comments. */
export function scopePage(): string {
  const scope = declarationOf('scope.ts', 'Scope');
  const examples = new Map(Object.entries(SCOPE_EXAMPLES));
  const members = scope.members.map((member) => {
    const code = examples.get(member.name)?.code ?? '';
    return `${memberText(member, '##')}\nExample:\n\n\`\`\`text\n${code}\n\`\`\`\n`;
  });
  const parts = [
    ['graph: reads', declarationOf('graph-reads.ts', 'GraphReads')],
    ['graph: writes', declarationOf('graph-writes.ts', 'Writes')],
    ['graph: commits', declarationOf('graph-writes.ts', 'GraphWrites')],
    ['ai: calls', declarationOf('ai.ts', 'Ai')],
    ['search: requests', declarationOf('search.ts', 'SearchRequest')],
    ['log: lines', declarationOf('scope.ts', 'Log')],
    ['fetch: options', declarationOf('scope.ts', 'FetchOptions')],
    ['fetch: answers', declarationOf('scope.ts', 'FetchAnswer')],
  ] as const;
  return `# The scope of an endpoint

What the code of an [endpoint](../endpoints.md) is given: the one argument of its function. \`z\`, which is
[zod](https://zod.dev), is a global. \`trellis types\` writes all of this as types for your editor.

${members.join('\n')}
${parts.map(([title, declaration]) => declarationText(title, declaration)).join('\n')}`;
}

/** All that `q()` can do. */
export function queryPage(): string {
  const query = declarationOf('query.ts', 'Query');
  const end = query.members.findIndex(({ name }) => name === FIRST_END);
  const interfaces = declarationsOf('query.ts');
  const parts = [
    ['Starts', declarationOf('query.ts', 'QueryStart')],
    ['Steps', { ...query, members: query.members.slice(0, end) }],
    ['Ends', { ...query, about: '', members: query.members.slice(end) }],
    ['Options of paths', interfaces.get('PathOptions')],
    ['Options of edges', interfaces.get('EdgeOptions')],
    ['Options of similarity', interfaces.get('SimilarityOptions')],
    ['What explain() tells of a step', interfaces.get('ExplainedStep')],
  ] as const;
  return `# Query operators

\`q()\` begins a query in the code of an [endpoint](../endpoints.md#queries): a start, any number of steps, and an end.

\`\`\`text
const authors = await q().startAt('Book', 'b1').out('Author', 'WrittenBy').sortBy('Name').take(10).nodes();
\`\`\`

\`where\` and \`startWhere\` compare a field with a value by one of these: ${comparisons()}. \`in\` takes a list of values,
\`exists\` none; \`contains\` looks into a text or a list.

${parts.flatMap(([title, part]) => (part === undefined ? [] : [declarationText(title, part)])).join('\n')}`;
}

/** The members of the type `Comparison`. */
function comparisons(): string {
  const names = valuesOf('query.ts', 'Comparison');
  return names.map((name) => `\`${name}\``).join(', ');
}

function declarationOf(file: string, name: string): Declaration {
  const found = declarationsOf(file).get(name);
  if (found === undefined) throw new Error(`endpoint/src/${file} has no interface ${name}`);
  return found;
}

function declarationText(title: string, { about, members }: Declaration): string {
  return `## ${title}\n\n${about}\n\n${members.map((member) => memberText(member, '###')).join('\n')}`;
}

function memberText({ name, signatures, about }: Member, heading: string): string {
  return `${heading} ${name}\n\n${about}\n\n\`\`\`text\n${signatures.join('\n')}\n\`\`\`\n`;
}
