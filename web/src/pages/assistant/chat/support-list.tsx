import type { AnswerSupport, SentenceSupport } from '@trellis/contract/shapes/support.ts';
import { Badge } from '../../../ui/badge.tsx';
import { SourceLink } from './citations.tsx';

interface SupportListProps {
  readonly support: AnswerSupport;
  readonly titleOf: (uid: string) => string;
}

/** The sentences that what they cite does not support, or only in part, with what it says. */
export function SupportList({ support: { support, supportJudge }, titleOf }: SupportListProps) {
  const checked = support.filter(({ verdict }) => verdict !== 'unchecked');
  const doubtful = checked.filter(({ verdict }) => verdict !== 'supported');
  if (checked.length === 0) return null;
  const supported = checked.length - doubtful.length;
  const summary = `Sources support ${supported} of ${checked.length} checked ${checked.length === 1 ? 'sentence' : 'sentences'}`;
  if (doubtful.length === 0) return <p className="text-[13px] text-muted">{summary}</p>;
  return (
    <details className="rounded-control border bg-surface">
      <summary className="px-3 py-1.5 text-[13px] font-medium hover:bg-sunken">{summary}</summary>
      <div className="flex flex-col gap-2 border-t p-3 text-[13px]">
        {supportJudge?.outcome === 'failed' && (
          <p className="text-muted">The judge had no answer: the sentences were compared only.</p>
        )}
        <ul aria-label="Doubtful sentences" className="flex flex-col gap-3">
          {doubtful.map((one) => (
            <DoubtfulSentence key={one.start} sentence={one} titleOf={titleOf} />
          ))}
        </ul>
      </div>
    </details>
  );
}

interface DoubtfulSentenceProps extends Pick<SupportListProps, 'titleOf'> {
  readonly sentence: SentenceSupport;
}

function DoubtfulSentence({ sentence, titleOf }: DoubtfulSentenceProps) {
  const isPartly = sentence.verdict === 'partly';
  return (
    <li className="flex flex-col gap-1">
      <span>
        <Badge tone={isPartly ? 'warning' : 'danger'}>
          {isPartly ? 'Partly supported' : 'Not supported'}
        </Badge>
      </span>
      <bdi className="wrap-anywhere">{sentence.sentence}</bdi>
      {sentence.citations
        .filter(({ quote }) => quote !== '')
        .map(({ id, uid, quote }) => (
          <blockquote key={id} dir="auto" className="border-l-2 pl-3 text-muted wrap-anywhere">
            {quote}{' '}
            <SourceLink id={id} className="text-accent hover:underline">
              <bdi>{titleOf(uid)}</bdi>
            </SourceLink>
          </blockquote>
        ))}
    </li>
  );
}
