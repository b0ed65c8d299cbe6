import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExtractionProposal } from '@trellis/contract/shapes/extraction.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { describeError } from '../../../ui/error-text.ts';
import { TextField } from '../../../ui/field.tsx';
import { FormAlert } from '../../../ui/form-alert.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { DOCUMENTS_KEY, proposalTextQuery, textName } from './document-queries.ts';

interface ProposalDialogProps {
  readonly proposal: ExtractionProposal;
  readonly onClose: () => void;
}

/** The text with the quote marked, beside the values, which may be changed. */
export function ProposalDialog({ proposal, onClose }: ProposalDialogProps) {
  const { document, page } = proposal;
  const where = textName(document);
  const title = page === null ? where : `${where}, page ${page}`;
  const query = useQuery(proposalTextQuery(proposal.id));
  return (
    <Dialog isOpen onClose={onClose} title={title} size="wide">
      <div className="grid gap-4 sm:grid-cols-2">
        <QueryView query={query} errorTitle="The text could not be read">
          {({ before, quote, after, isCurrent }) => (
            <div
              className="max-h-96 overflow-y-auto text-[13px] wrap-anywhere whitespace-pre-wrap"
              tabIndex={0}
              role="group"
              aria-label="Text"
            >
              {!isCurrent && (
                <p className="text-warning">The text was changed since it was read.</p>
              )}
              <bdi>
                {before}
                <mark className="rounded-sm bg-mark text-ink">{quote}</mark>
                {after}
              </bdi>
            </div>
          )}
        </QueryView>
        {proposal.kind === 'node' && <Values proposal={proposal} onClose={onClose} />}
      </div>
    </Dialog>
  );
}

/** Values as JSON has them, texts without quotes. */
function Values({ proposal, onClose }: ProposalDialogProps) {
  const { isAllowed } = useChangePermission();
  const queries = useQueryClient();
  const [key, setKey] = useState(proposal.key ?? '');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      Object.entries(proposal.fields).map(([field, value]) => [field, textOf(value)]),
    ),
  );
  const save = useMutation({
    mutationFn: () =>
      client.documents.changeProposal(proposal.id, {
        key,
        fields: Object.fromEntries(
          Object.entries(texts)
            .filter(([, text]) => text !== '')
            .map(([field, text]) => [field, valueOf(text, proposal.fields[field])]),
        ),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: DOCUMENTS_KEY });
      onClose();
    },
  });
  const isOpen = proposal.state === 'open';
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextField
        label={`${proposal.type}, key`}
        value={key}
        readOnly={!isOpen}
        required
        onChange={({ target }) => setKey(target.value)}
      />
      {Object.entries(texts).map(([field, text]) => (
        <TextField
          key={field}
          label={field}
          {...(proposal.unquoted.includes(field) ? { hint: 'Not in the quote as it is.' } : {})}
          value={text}
          readOnly={!isOpen}
          onChange={({ target }) => setTexts({ ...texts, [field]: target.value })}
        />
      ))}
      {save.isError && <FormAlert {...describeError(save.error)} />}
      {isOpen && (
        <Button type="submit" kind="primary" disabled={!isAllowed} isBusy={save.isPending}>
          Change
        </Button>
      )}
    </form>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What was a text stays one. What is no JSON is told by the server. */
function valueOf(text: string, before: unknown): unknown {
  if (typeof before === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
