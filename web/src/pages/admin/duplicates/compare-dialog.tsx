import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeftRight } from 'lucide-react';
import { useState } from 'react';
import type { Duplicate } from '@trellis/contract/shapes/duplicate.ts';
import type { NodeRecordDocument } from '@trellis/contract/shapes/node-write.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { comparedQuery, DUPLICATES_KEY } from './duplicate-queries.ts';
import { reason } from './pair-list.tsx';

interface CompareDialogProps {
  readonly pair: Duplicate;
  readonly onClose: () => void;
}

/** The two nodes of a pair side by side. */
export function CompareDialog({ pair, onClose }: CompareDialogProps) {
  const query = useQuery(comparedQuery(pair.nodes.map(({ uid }) => uid)));
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={`One thing? ${pair.nodes.map(({ name }) => name).join(' and ')}`}
      description={`${Math.round(pair.score * 100)} %: ${pair.why.map(reason).join(', ')}`}
    >
      <QueryView query={query} errorTitle="The nodes could not be read">
        {([a, b]) =>
          a !== undefined && b !== undefined && <Comparison {...{ pair, a, b, onClose }} />
        }
      </QueryView>
    </Dialog>
  );
}

interface ComparisonProps extends CompareDialogProps {
  readonly a: NodeRecordDocument;
  readonly b: NodeRecordDocument;
}

/** What both have under other names, or is not chosen. */
const NOT_CHOSEN: ReadonlySet<string> = new Set(['UID', 'Type', 'Id', 'Timestamp']);

function Comparison({ pair, a, b, onClose }: ComparisonProps) {
  const [isSwapped, setSwapped] = useState(false);
  /** Fields whose value is taken from the node that goes. */
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const [stays, goes] = isSwapped ? [b, a] : [a, b];
  const swap = (): void => {
    setSwapped(!isSwapped);
    setTaken(new Set());
  };
  const take = (field: string, isTaken: boolean): void => {
    const others = [...taken].filter((one) => one !== field);
    setTaken(new Set(isTaken ? [...others, field] : others));
  };
  return (
    <>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">Fields of both nodes</caption>
        <thead>
          <tr className="border-b align-top">
            <th scope="col" className="py-2 pr-3 text-[13px] font-medium text-muted">
              Field
            </th>
            <HeadCell record={stays} words="stays" />
            <HeadCell record={goes} words="goes: its UID leads to the other" />
          </tr>
        </thead>
        <tbody>
          {fieldsOf(stays, goes).map((field) => (
            <FieldRow
              key={field}
              {...{ field, stays, goes }}
              isTaken={taken.has(field)}
              onTake={(isTaken) => take(field, isTaken)}
            />
          ))}
        </tbody>
      </table>
      <p className="mt-3 text-[13px] text-muted">
        Edges and files of both stay. Only who sees both nodes now will see the one.
      </p>
      <Decision {...{ pair, stays, goes, taken, onClose }} onSwap={swap} />
    </>
  );
}

interface DecisionProps extends CompareDialogProps {
  readonly stays: NodeRecordDocument;
  readonly goes: NodeRecordDocument;
  readonly taken: ReadonlySet<string>;
  readonly onSwap: () => void;
}

function Decision({ pair, stays, goes, taken, onClose, onSwap }: DecisionProps) {
  const { isAllowed } = useChangePermission();
  const queries = useQueryClient();
  const merge = useMutation({
    mutationFn: () =>
      client.duplicates.merge({
        into: stays.node.UID,
        node: goes.node.UID,
        fields: Object.fromEntries([...taken].map((field) => [field, goes.node[field] ?? null])),
        ...(stays.version === null ? {} : { intoVersion: stays.version }),
        ...(goes.version === null ? {} : { nodeVersion: goes.version }),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      toastDone('They are one node', 'It can be split again, under “Merged”.');
      onClose();
    },
    onError: (error) => toastError('The nodes were not merged', error),
  });
  const dismiss = useMutation({
    mutationFn: () => client.duplicates.dismiss(pair.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: DUPLICATES_KEY });
      onClose();
    },
    onError: (error) => toastError('The pair was not dismissed', error),
  });
  const isBusy = merge.isPending || dismiss.isPending;
  return (
    <DialogActions>
      <Button icon={ArrowLeftRight} disabled={isBusy} onClick={onSwap}>
        Keep the other one
      </Button>
      {pair.state === 'open' && (
        <Button
          disabled={!isAllowed || isBusy}
          isBusy={dismiss.isPending}
          onClick={() => dismiss.mutate()}
        >
          Two things
        </Button>
      )}
      <Button
        kind="primary"
        disabled={!isAllowed || isBusy}
        isBusy={merge.isPending}
        onClick={() => merge.mutate()}
      >
        Merge
      </Button>
    </DialogActions>
  );
}

function HeadCell({
  record,
  words,
}: {
  readonly record: NodeRecordDocument;
  readonly words: string;
}) {
  const edges = record.edges.reduce((sum, { count }) => sum + count, 0);
  return (
    <th scope="col" className="w-2/5 py-2 pr-3 font-medium">
      <bdi className="wrap-anywhere">{String(record.node.Id ?? record.node.UID)}</bdi>
      <p className="text-[13px] font-normal text-muted">
        {words}; {edges} edges, {record.files} files
      </p>
    </th>
  );
}

function fieldsOf({ node: a }: NodeRecordDocument, { node: b }: NodeRecordDocument): string[] {
  // The key stands under its own name, too, and does not change.
  const isKey = (name: string): boolean =>
    a.Id !== undefined && a[name] === a.Id && b[name] === b.Id;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !NOT_CHOSEN.has(name) && !isKey(name));
}

interface FieldRowProps {
  readonly field: string;
  readonly stays: NodeRecordDocument;
  readonly goes: NodeRecordDocument;
  readonly isTaken: boolean;
  readonly onTake: (isTaken: boolean) => void;
}

function FieldRow({ field, stays, goes, isTaken, onTake }: FieldRowProps) {
  const [own, other] = [textOf(stays.node[field]), textOf(goes.node[field])];
  // What the node lacks it takes from the other, without being asked.
  const isLacking = own === '';
  const isChoice = own !== '' && other !== '' && own !== other;
  const cell = (text: string, isOther: boolean) => (
    <td className="py-2 pr-3">
      <label className="flex items-start gap-2">
        {isChoice && (
          <input
            type="radio"
            name={`value of ${field}`}
            className="mt-1"
            checked={isTaken === isOther}
            onChange={() => onTake(isOther)}
            aria-label={`${field}: ${text}`}
          />
        )}
        <span
          className={
            (isChoice ? isTaken === isOther : isOther === isLacking) ? 'font-medium' : 'text-muted'
          }
        >
          <bdi className="wrap-anywhere">{text === '' ? '–' : text}</bdi>
        </span>
      </label>
    </td>
  );
  return (
    <tr className="border-b align-top">
      <th scope="row" className="py-2 pr-3 font-normal wrap-anywhere text-muted">
        {field}
      </th>
      {cell(own, false)}
      {cell(other, true)}
    </tr>
  );
}

const SHOWN_CHARACTERS = 400;

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
