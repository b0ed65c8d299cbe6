import { VERDICTS } from '@trellis/client/answer-words.ts';
import type { SentenceSupport } from '@trellis/contract/shapes/support.ts';
import { CircleAlert, CircleHelp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Popover } from '../../../ui/popover.tsx';
import type { SourceLink } from './citations.tsx';

interface SentenceEvidenceProps {
  readonly sentence: SentenceSupport;
  readonly link: SourceLink;
  readonly titleOf: (uid: string) => string;
}

/** A sentence with its verdict, and what its sources say. */
export function SentenceEvidence(props: SentenceEvidenceProps) {
  const { sentence, link: Source, titleOf } = props;
  const isPartly = sentence.verdict === 'partly';
  return (
    <div className="flex flex-col gap-1 text-[13px]">
      <span>
        <Badge tone={isPartly ? 'warning' : 'danger'}>{VERDICTS[sentence.verdict]}</Badge>
      </span>
      <bdi className="wrap-anywhere">{sentence.sentence}</bdi>
      {sentence.citations
        .filter(({ quote }) => quote !== '')
        .map((citation) => (
          <blockquote
            key={citation.id}
            dir="auto"
            className="border-l-2 pl-3 text-muted wrap-anywhere"
          >
            {citation.quote}{' '}
            <Source citation={citation} className="text-accent hover:underline">
              <bdi>{titleOf(citation.uid)}</bdi>
            </Source>
          </blockquote>
        ))}
    </div>
  );
}

interface MarkedSentenceProps extends SentenceEvidenceProps {
  /** The words that are marked. */
  readonly children: ReactNode;
  /** Whether they are the last ones. */
  readonly isEnd: boolean;
}

/** Words of a doubtful sentence in its answer; after the last ones, a button tells why. */
export function MarkedSentence({ children, isEnd, ...evidence }: MarkedSentenceProps) {
  const isPartly = evidence.sentence.verdict === 'partly';
  const Icon = isPartly ? CircleHelp : CircleAlert;
  const label = `${VERDICTS[evidence.sentence.verdict]}: show why`;
  return (
    <>
      <mark
        className={`bg-transparent text-inherit underline underline-offset-4 ${
          isPartly ? 'decoration-warning decoration-dashed' : 'decoration-danger decoration-wavy'
        }`}
      >
        {children}
      </mark>
      {isEnd && (
        <Popover
          title={isPartly ? 'Sources say only a part of this' : 'Sources do not say this'}
          trigger={
            <button
              type="button"
              aria-label={label}
              title={label}
              className={`mx-0.5 inline-flex size-4.5 items-center justify-center rounded align-[-0.2em] hover:bg-sunken pointer-coarse:size-6 ${
                isPartly ? 'text-warning' : 'text-danger'
              }`}
            >
              <Icon className="size-4" aria-hidden />
            </button>
          }
        >
          <SentenceEvidence {...evidence} />
        </Popover>
      )}
    </>
  );
}
