import { isDoubtful, judgeRemark, supportSummary } from '@trellis/client/answer-words.ts';
import type { AnswerSupport } from '@trellis/contract/shapes/support.ts';
import type { SourceLink } from './citations.tsx';
import { SentenceEvidence } from './sentence-evidence.tsx';

interface SupportListProps {
  readonly support: AnswerSupport;
  readonly link: SourceLink;
  readonly titleOf: (uid: string) => string;
}

/** The sentences that what they cite does not support, or only in part, with what it says. */
export function SupportList({ support, ...sources }: SupportListProps) {
  const summary = supportSummary(support);
  const doubtful = support.support.filter(isDoubtful);
  const remark = judgeRemark(support);
  if (summary === undefined) return null;
  if (doubtful.length === 0) return <p className="text-[13px] text-muted">{summary}</p>;
  return (
    <details className="rounded-control border bg-surface">
      <summary className="px-3 py-1.5 text-[13px] font-medium hover:bg-sunken">{summary}</summary>
      <div className="flex flex-col gap-2 border-t p-3 text-[13px]">
        {remark !== undefined && <p className="text-muted">{remark}</p>}
        <ul aria-label="Doubtful sentences" className="flex flex-col gap-3">
          {doubtful.map((one) => (
            <li key={one.start}>
              <SentenceEvidence sentence={one} {...sources} />
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
