import type { NodeLink } from '@trellis/contract/shapes/node-write.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField } from '../../ui/field.tsx';
import { NodePicker } from '../../ui/node-picker.tsx';
import type { DataEdge } from './data-queries.ts';
import { FieldInput } from './field-input.tsx';
import { changeOf } from './record-draft.ts';

interface LinkDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly edges: readonly DataEdge[];
  /** The type of edge that is offered first. */
  readonly preferred?: string | undefined;
  readonly onLink: (link: NodeLink) => Promise<unknown>;
}

/** Another node, and by which edge it is linked. */
export function LinkDialog(props: LinkDialogProps) {
  const { isOpen, onClose, title } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <LinkForm {...props} />
    </Dialog>
  );
}

function LinkForm({ onClose, edges, preferred, onLink }: LinkDialogProps) {
  const options = edgeOptions(edges);
  const first = options.find(({ edge }) => edge.type === preferred) ?? options[0];
  const [other, setOther] = useState<NodeObject>();
  const [chosen, setChosen] = useState(first?.value);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const link = useMutation({ mutationFn: onLink, onSuccess: onClose });
  const option = options.find(({ value }) => value === chosen);
  const types = option?.edge.fields ?? {};
  const { fields, errors } = changeOf({ texts }, types);
  const isReady = other !== undefined && Object.keys(errors).length === 0;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (option === undefined || !isReady) return;
        const end = { uid: other.UID };
        const edge = { edge: option.edge.type, ...(Object.keys(texts).length > 0 && { fields }) };
        link.mutate(option.isOut ? { ...edge, to: end } : { ...edge, from: end });
      }}
    >
      <NodePicker label="Node" value={other} onChange={setOther} />
      <SelectField
        label="Link"
        options={options}
        value={chosen}
        onChange={({ target }) => {
          setChosen(target.value);
          setTexts({});
        }}
      />
      {Object.entries(types).map(([field, type]) => (
        <FieldInput
          key={field}
          name={field}
          type={type}
          text={texts[field] ?? ''}
          error={errors[field]}
          onText={(text) => setTexts((before) => ({ ...before, [field]: text }))}
        />
      ))}
      {link.isError && <ErrorPanel title="The link was not added" error={link.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={!isReady} isBusy={link.isPending}>
          Add
        </Button>
      </DialogActions>
    </form>
  );
}

/** An edge with an inverse is one relation: it has a name at either end. */
function edgeOptions(edges: readonly DataEdge[]) {
  const out = edges.map((edge) => ({
    value: `out ${edge.type}`,
    label: edge.type,
    edge,
    isOut: true,
  }));
  const into = edges
    .filter(({ inverse }) => inverse === undefined)
    .map((edge) => ({
      value: `in ${edge.type}`,
      label: `${edge.type}, from the other node`,
      edge,
      isOut: false,
    }));
  return [...out, ...into];
}
