import { useMutation } from '@tanstack/react-query';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { NodePicker } from '../../ui/node-picker.tsx';
import { toastError } from '../../ui/toast.ts';
import type { GraphEditor } from './graph-editor.ts';
import { beginWith } from './graph-start.ts';

/** The first node, and any further one: each with its first neighbors. */
export function AddNodeCard({ editor }: { readonly editor: GraphEditor }) {
  const [added, setAdded] = useState(0);
  const { mutate, isPending } = useMutation({
    mutationFn: (node: NodeObject) => beginWith(editor, [node]),
    onError: (error) => toastError('The neighbors could not be read', error),
  });
  return (
    <Card title="Add a node">
      <NodePicker
        // What was picked is in the drawing: the field is empty again.
        key={added}
        label="Node to add"
        isLabelHidden
        isDisabled={isPending}
        value={undefined}
        onChange={(node) => {
          if (node === undefined) return;
          setAdded(added + 1);
          mutate(node);
        }}
      />
    </Card>
  );
}
