import type { ChatCitation, ChatMessage } from '@trellis/contract/shapes/chat.ts';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { OpenedRecord } from '../../data/opened-record.tsx';
import type { RecordDraft } from '../../data/record-draft.ts';
import { type CitedField, citedFields, sentencesCiting } from './cited-passage.ts';

interface CitedRecordProps {
  readonly citation: ChatCitation;
  /** The messages that may cite it. */
  readonly messages: readonly ChatMessage[];
  readonly draft: RecordDraft;
  readonly onDraft: (draft: RecordDraft) => void;
  readonly onClose: () => void;
}

/** The node of a source, with what the answer took from it. */
export function CitedRecord({ citation, messages, ...panel }: CitedRecordProps) {
  const { id, uid, text } = citation;
  return (
    <OpenedRecord
      uid={uid}
      {...panel}
      lead={<CitedPassage id={id} fields={citedFields(text, sentencesCiting(messages, id))} />}
    />
  );
}

interface CitedPassageProps {
  readonly id: number;
  readonly fields: readonly CitedField[];
}

/** What the model read of a source: first what its answer says, the rest on demand. */
function CitedPassage({ id, fields }: CitedPassageProps) {
  const [isWhole, setIsWhole] = useState(false);
  const marked = fields.filter(({ parts }) => parts.some(({ isMarked }) => isMarked));
  const first = marked.length === 0 ? fields : marked;
  const shown = isWhole ? fields : first;
  const isEmpty = fields.every(({ name, parts }) => name === '' && parts.length === 0);
  return (
    <section
      aria-label={`Cited passage of source ${id}`}
      className="rounded-control border-l-2 border-accent bg-sunken px-3 py-2 text-[13px]"
    >
      <h3 className="font-medium">Source {id}, as the assistant read it</h3>
      {isEmpty ? (
        <p className="mt-1 text-muted">You may not read any more what was cited.</p>
      ) : (
        <dl className="mt-1 flex max-h-60 flex-col gap-1 overflow-y-auto" tabIndex={0}>
          {shown.map(({ name, parts }, at) => (
            // Fields of a fact have no identity but their place; the same below.
            // oxlint-disable-next-line react/no-array-index-key
            <div key={at}>
              <dt className="inline text-muted">{name || 'Text'}: </dt>
              <dd dir="auto" className="inline whitespace-pre-line wrap-anywhere">
                {parts.map(({ text, isMarked }, place) =>
                  isMarked ? (
                    // oxlint-disable-next-line react/no-array-index-key
                    <mark key={place} className="rounded bg-mark text-ink">
                      {text}
                    </mark>
                  ) : (
                    text
                  ),
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {first.length < fields.length && (
        <Button size="small" className="mt-2" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show the passage only' : 'Show all that was read'}
        </Button>
      )}
    </section>
  );
}
