// trellis: readOnly
// trellis: description How two words are related: the shortest chain of words and synsets from one to the other.

interface Question {
  readonly from: string;
  readonly to: string;
  /** 1 to 20; 12 when left out. */
  readonly maxHops?: number;
}

const HOPS_DEFAULT = 12;
const HOPS_MAX = 20;

export default async function shortestPath({
  body,
  q,
  graph,
  badRequest,
  notFound,
}: Scope<Question>) {
  const { from, to, maxHops = HOPS_DEFAULT } = body;
  if (!Number.isInteger(maxHops) || maxHops < 1 || maxHops > HOPS_MAX) {
    return badRequest(`maxHops is a whole number from 1 to ${HOPS_MAX}.`);
  }
  const [start, end] = await graph.getMany('Word', [from, to]);
  if (!start) return notFound(`"${from}" is not in the dictionary.`);
  if (!end) return notFound(`"${to}" is not in the dictionary.`);

  const path = await q().startAtUids(start.UID).shortestPath(end, { maxHops });
  if (path === null) return notFound(`No chain of ${maxHops} steps or fewer joins them.`);
  const chain = path.nodes.map((node, i) => {
    const edge = path.edges[i - 1];
    return {
      // Followed backwards, an edge is named with an arrow that points against it.
      ...(edge && { by: edge.to === node.UID ? edge.type : `<- ${edge.type}` }),
      ...describe(node),
    };
  });
  return { from, to, steps: path.edges.length, chain };
}

function describe(node: NodeOf) {
  if (node.Type === 'Word') return { word: node.Lemma };
  return node.Type === 'Synset' ? { synset: node.Lemmas, definition: node.Definition } : {};
}
