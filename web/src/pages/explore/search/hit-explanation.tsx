import type { HitExplanation, SearchHit, SideScore } from '@trellis/client/system-search.ts';
import { labelOf } from '../../../api/node-label.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { FieldList, type NamedValue } from '../../../ui/field-list.tsx';
import { formatDecimal, formatSignificant } from '../../../ui/format.ts';

interface HitExplanationPanelProps {
  /** None is shown without. */
  readonly hit: SearchHit | undefined;
  readonly onClose: () => void;
}

type Part = HitExplanation['parts'][number];

const ORIGINS: Readonly<Record<Part['origin'], string>> = {
  word: 'The word itself',
  typo: 'A typing error',
  prefix: 'The beginning of a word',
  synonym: 'A synonym',
};

/** What the score of a hit is made of. */
export function HitExplanationPanel({ hit, onClose }: HitExplanationPanelProps) {
  return (
    <SidePanel
      isOpen={hit !== undefined}
      onClose={onClose}
      title={hit === undefined ? 'Why was it found?' : `Why was “${labelOf(hit.node)}” found?`}
      description="The higher its score, the higher it stands in the results."
    >
      {hit?.explain !== undefined && <Explanation explanation={hit.explain} />}
    </SidePanel>
  );
}

function Explanation({ explanation }: { readonly explanation: HitExplanation }) {
  const { parts } = explanation;
  return (
    <div className="flex flex-col gap-4">
      <FieldList items={summaryOf(explanation)} />
      {parts.length === 0 ? (
        <p className="text-muted">No word added to its score.</p>
      ) : (
        <div className="rounded-card border">
          <DataTable
            label="Scores of the words"
            rows={parts}
            keyOf={({ field, term, word }) => `${field}\n${term}\n${word}`}
            columns={[
              { title: 'Word', cell: ({ word }) => <bdi>{word}</bdi> },
              { title: 'Field', cell: ({ field }) => field },
              { title: 'Found as', cell: foundAs },
              { title: 'Score', cell: ({ score }) => formatScore(score), isNumber: true },
            ]}
          />
        </div>
      )}
    </div>
  );
}

function foundAs({ origin, term, word }: Part) {
  return (
    <>
      {ORIGINS[origin]}
      {term !== word && (
        <span className="block text-[13px] text-muted">
          indexed as <bdi>{term}</bdi>
        </span>
      )}
    </>
  );
}

function summaryOf({ score, decay, text, vector }: HitExplanation): NamedValue[] {
  return [
    { name: 'Score', value: formatScore(score) },
    ...(decay === undefined ? [] : [{ name: 'Factor for its age', value: formatScore(decay) }]),
    ...(text === undefined ? [] : [{ name: 'Score of the words', value: sideText(text) }]),
    ...(vector === undefined
      ? []
      : [
          { name: 'Score of the meaning', value: sideText(vector) },
          {
            name: 'Most similar',
            value: `${vector.field}, similarity ${formatScore(vector.similarity)} (${vector.model})`,
          },
        ]),
  ];
}

function sideText({ score, rank }: SideScore): string {
  return rank === undefined ? formatScore(score) : `${formatScore(score)}, rank ${rank}`;
}

/** Scores may be small: their digits count, not their decimals. */
function formatScore(score: number): string {
  return Math.abs(score) >= 10 ? formatDecimal(score) : formatSignificant(score);
}
