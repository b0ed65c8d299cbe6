import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, FileSearch } from 'lucide-react';
import { useState } from 'react';
import type {
  ExtractionProposal,
  ExtractionWithDocuments,
} from '@trellis/contract/shapes/extraction.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { CheckboxField, SelectField } from '../../../ui/field.tsx';
import { formatCount, formatPercent } from '../../../ui/format.ts';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { RunAction } from '../../manage/run-action.tsx';
import {
  DOCUMENTS_KEY,
  DOCUMENTS_TAKE,
  extractionQuery,
  type ProposalFilter,
  proposalsQuery,
  textName,
} from './document-queries.ts';
import { ExtractionState, isResumable } from './extraction-state.tsx';
import { ProposalDialog } from './proposal-dialog.tsx';

interface ExtractionViewProps {
  readonly id: string;
  readonly onClose: () => void;
}

const FAILED_SHOWN_MAX = 5;
const STATES = ['open', 'approved', 'rejected'] as const;

/** The proposals of one extraction, to be decided. */
export function ExtractionView({ id, onClose }: ExtractionViewProps) {
  const query = useQuery(extractionQuery(id));
  const [state, setState] = useState<ExtractionProposal['state']>('open');
  const [document, setDocument] = useState('');
  const [confidence, setConfidence] = useState('0');
  const filter: ProposalFilter = {
    state,
    minConfidence: Number(confidence),
    ...(document === '' ? {} : { document: Number(document) }),
  };
  return (
    <QueryView query={query} errorTitle="What was read could not be shown">
      {(run) => (
        <>
          <Summary run={run} onClose={onClose} />
          <div className="my-3 flex flex-wrap gap-3">
            <SelectField
              label="Document"
              value={document}
              options={[
                { value: '', label: 'All' },
                ...run.texts.map((text) => ({
                  value: String(text.number),
                  label: `${textName(text)} (${formatCount(text.open)} open)`,
                })),
              ]}
              onChange={({ target }) => setDocument(target.value)}
            />
            <SelectField
              label="State"
              value={state}
              options={STATES.map((one) => ({ value: one, label: one }))}
              onChange={({ target }) =>
                setState(STATES.find((one) => one === target.value) ?? 'open')
              }
            />
            <SelectField
              label="Confidence"
              value={confidence}
              options={[
                { value: '0', label: 'Any' },
                ...['0.5', '0.7', '0.8', '0.9'].map((value) => ({
                  value,
                  label: `${formatPercent(Number(value))} and more`,
                })),
              ]}
              onChange={({ target }) => setConfidence(target.value)}
            />
          </div>
          <ProposalList key={JSON.stringify(filter)} id={id} filter={filter} />
        </>
      )}
    </QueryView>
  );
}

function Summary({
  run,
  onClose,
}: { readonly run: ExtractionWithDocuments } & Pick<ExtractionViewProps, 'onClose'>) {
  const failed = run.texts.filter(({ reason }) => reason !== null);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={ArrowLeft} size="small" onClick={onClose}>
          All
        </Button>
        <ExtractionState {...run} />
        <p className="text-muted">
          Read {formatCount(run.read)} of {formatCount(run.documents)} texts. Proposals:{' '}
          {formatCount(run.proposals)}, dropped: {formatCount(run.dropped)}.
        </p>
        {(run.state === 'running' || isResumable(run)) && (
          <RunAction
            name="the reading"
            job={run.job}
            isRunning={run.state === 'running'}
            onResume={() => client.documents.resume(run.id)}
            queryKey={DOCUMENTS_KEY}
          />
        )}
      </div>
      {run.error !== null && <p className="text-danger">{run.error.message}</p>}
      {failed.length > 0 && (
        <ul className="text-[13px] text-muted">
          {failed.slice(0, FAILED_SHOWN_MAX).map((text) => (
            <li key={text.number}>
              <bdi>{textName(text)}</bdi>: {text.reason}
            </li>
          ))}
          {failed.length > FAILED_SHOWN_MAX && (
            <li>{formatCount(failed.length - FAILED_SHOWN_MAX)} more could not be read.</li>
          )}
        </ul>
      )}
    </div>
  );
}

function ProposalList({ id, filter }: { readonly id: string; readonly filter: ProposalFilter }) {
  const [skip, setSkip] = useState(0);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [shown, setShown] = useState<ExtractionProposal>();
  const { isAllowed } = useChangePermission();
  const query = useQuery(proposalsQuery(id, filter, skip));
  const isOpen = filter.state === 'open';
  return (
    <QueryView query={query} errorTitle="The proposals could not be read">
      {({ items, total }) => (
        <Card isFlush>
          {isOpen && total > 0 && (
            <Decisions {...{ id, filter, chosen, total }} onDone={() => setChosen([])} />
          )}
          {total === 0 ? (
            <EmptyState icon={FileSearch} title={isOpen ? 'Nothing to decide' : 'None'}>
              No proposal fits what is chosen above.
            </EmptyState>
          ) : (
            <DataTable
              label="Proposals"
              rows={items}
              keyOf={(one) => one.id}
              columns={[
                ...(isOpen && isAllowed ? [choiceColumn(chosen, setChosen)] : []),
                ...COLUMNS,
                showColumn(setShown),
              ]}
            />
          )}
          <Pager {...{ skip, total }} take={DOCUMENTS_TAKE} shown={items.length} onSkip={setSkip} />
          {shown !== undefined && (
            <ProposalDialog proposal={shown} onClose={() => setShown(undefined)} />
          )}
        </Card>
      )}
    </QueryView>
  );
}

interface DecisionsProps {
  readonly id: string;
  readonly filter: ProposalFilter;
  readonly chosen: readonly string[];
  readonly total: number;
  readonly onDone: () => void;
}

/** Of those that are chosen; of all that are listed where none is. */
function Decisions({ id, filter, chosen, total, onDone }: DecisionsProps) {
  const { isAllowed } = useChangePermission();
  const queries = useQueryClient();
  const { state: _state, ...fitting } = filter;
  const choice = chosen.length === 0 ? fitting : { proposals: [...chosen] };
  const options = {
    onSuccess: (message: string) => {
      onDone();
      toastDone(message);
      return queries.invalidateQueries({ queryKey: DOCUMENTS_KEY });
    },
    onError: (error: unknown) => toastError('Nothing was decided', error),
  };
  const approve = useMutation({
    mutationFn: async () => {
      const { approved, refused } = await client.documents.approve(id, choice);
      const rest = refused.length === 0 ? '' : `, still open: ${formatCount(refused.length)}`;
      return `Written: ${formatCount(approved)}${rest}`;
    },
    ...options,
  });
  const reject = useMutation({
    mutationFn: async () =>
      `Rejected: ${formatCount((await client.documents.reject(id, choice)).rejected)}`,
    ...options,
  });
  const which =
    chosen.length === 0 ? `all ${formatCount(total)}` : `${formatCount(chosen.length)} chosen`;
  return (
    <div className="flex flex-wrap gap-2 p-3">
      <Button
        kind="primary"
        size="small"
        disabled={!isAllowed}
        isBusy={approve.isPending}
        onClick={() => approve.mutate()}
      >
        {`Approve ${which}`}
      </Button>
      <Button
        size="small"
        disabled={!isAllowed}
        isBusy={reject.isPending}
        onClick={() => reject.mutate()}
      >
        {`Reject ${which}`}
      </Button>
    </div>
  );
}

const COLUMNS: readonly Column<ExtractionProposal>[] = [
  {
    title: 'Proposal',
    cell: (proposal) => (
      <div className="min-w-40">
        <bdi className="font-medium wrap-anywhere">{nameOf(proposal)}</bdi>
        <p className="text-[13px] text-muted">
          {proposal.type}
          {proposal.kind === 'node' && (proposal.existing === null ? ', new' : ', known')}
        </p>
        {proposal.refused !== null && (
          <p className="text-[13px] text-warning">{proposal.refused}</p>
        )}
      </div>
    ),
  },
  {
    title: 'Values',
    cell: ({ fields, unquoted }) => (
      <ul className="text-[13px]">
        {Object.entries(fields).map(([field, value]) => (
          <li key={field} className={unquoted.includes(field) ? 'text-warning' : undefined}>
            {field}: <bdi className="wrap-anywhere">{String(value)}</bdi>
            {unquoted.includes(field) && ' (not in the quote)'}
          </li>
        ))}
      </ul>
    ),
  },
  {
    title: 'Quote',
    cell: ({ quote, page }) => (
      <blockquote className="min-w-40 text-[13px] wrap-anywhere">
        <bdi>{quote}</bdi>
        {page !== null && <span className="text-muted"> (page {page})</span>}
      </blockquote>
    ),
  },
  {
    title: 'Confidence',
    isNumber: true,
    cell: ({ confidence }) => formatPercent(confidence),
  },
];

export function nameOf({ key, from, to, type }: ExtractionProposal): string {
  return from === null || to === null ? (key ?? type) : `${from.key} → ${to.key}`;
}

function choiceColumn(
  chosen: readonly string[],
  onChange: (chosen: readonly string[]) => void,
): Column<ExtractionProposal> {
  return {
    title: 'Choose',
    isTitleHidden: true,
    cell: (proposal) => (
      <CheckboxField
        label={`Choose ${nameOf(proposal)}`}
        className="[&>*:last-child]:sr-only"
        checked={chosen.includes(proposal.id)}
        onChange={({ target }) =>
          onChange(
            target.checked
              ? [...chosen, proposal.id]
              : chosen.filter((other) => other !== proposal.id),
          )
        }
      />
    ),
  };
}

function showColumn(onShow: (proposal: ExtractionProposal) => void): Column<ExtractionProposal> {
  return {
    title: 'Actions',
    isTitleHidden: true,
    cell: (proposal) => (
      <Button
        size="small"
        onClick={() => onShow(proposal)}
        aria-label={`Show the source of ${nameOf(proposal)}`}
      >
        Source
      </Button>
    ),
  };
}
