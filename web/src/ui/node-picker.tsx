import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { completedQuery, isUid } from '../api/completed-query.ts';
import { client } from '../api/client.ts';
import { labelOf } from '../api/node-label.ts';
import { AsyncCombobox } from './async-combobox.tsx';
import type { FieldFrame } from './field.tsx';

const OFFERED_MAX = 12;
const KEY_CHARACTERS_MAX = 24;

interface NodePickerProps extends FieldFrame {
  readonly isDisabled?: boolean;
  readonly value: NodeObject | undefined;
  readonly onChange: (node: NodeObject | undefined) => void;
  /** Only nodes of these types are offered; a UID may be of any. */
  readonly types?: readonly string[];
}

/** A node, by words that the search finds it by, or by its UID. */
export function NodePicker({ types, ...props }: NodePickerProps) {
  return (
    <AsyncCombobox
      {...props}
      placeholder="Words or a UID"
      queryKey={['nodes', types]}
      find={(text, signal) => findNodes(text, types, signal)}
      keyOf={({ UID: uid }) => uid}
      labelOf={labelOf}
      detailOf={detailOf}
    />
  );
}

/** Tells apart what is called the same. */
function detailOf(node: NodeObject): string {
  const { Type, Id } = node;
  if (Id === undefined || Id === labelOf(node)) return Type;
  return Id.length > KEY_CHARACTERS_MAX ? Type : `${Type} · ${Id}`;
}

async function findNodes(
  text: string,
  types: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly NodeObject[]> {
  if (isUid(text)) {
    const node = await nodeOf(text, signal);
    if (node !== undefined) return [node];
  }
  const { hits } = await client.system.search(
    {
      query: completedQuery(text),
      take: OFFERED_MAX,
      ...(types !== undefined && { types }),
      ...(text === '' && { sort: 'recent' as const }),
    },
    { signal },
  );
  return hits.map(({ node }) => node);
}

/** Undefined where there is none that the viewer may see. */
async function nodeOf(uid: string, signal: AbortSignal): Promise<NodeObject | undefined> {
  try {
    return await client.nodes.get(uid, { signal });
  } catch (error) {
    if (error instanceof TrellisError && error.status === 404) return undefined;
    throw error;
  }
}
