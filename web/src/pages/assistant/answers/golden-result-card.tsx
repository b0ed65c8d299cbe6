import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type {
  GoldenLabel,
  GoldenLeak,
  GoldenNuggetResult,
  GoldenResult,
  GoldenSentence,
} from '@trellis/contract/shapes/golden-answers.ts';
import { Check, ThumbsDown, ThumbsUp, X } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { isUid } from '../../../api/completed-query.ts';
import { useNames } from '../../../api/names.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { GOLDEN_KEY } from './golden-queries.ts';

/** What to mend when a nugget was lost at this step. */
const LOST: Readonly<Record<NonNullable<GoldenNuggetResult['lostAt']>, string>> = {
  access: 'The user may see none of its nodes, so it does not count.',
  search: 'No tool found it: see the settings of search, the tools, or what the model searched.',
  reading: 'It was found, but cut off before the model could read it: let the tool give less.',
  answer: 'The model read it and does not say it: see the instructions, or another model.',
  citing: 'The answer says it, and cites no node of it.',
};

const VERDICTS: Readonly<Record<GoldenSentence['verdict'], readonly [BadgeTone, string]>> = {
  supported: ['good', 'Supported'],
  partly: ['warning', 'Partly'],
  unsupported: ['danger', 'Unsupported'],
  unchecked: ['neutral', 'Unchecked'],
};

interface GoldenResultCardProps {
  readonly name: string;
  readonly run: number;
  readonly result: GoldenResult;
}

export function GoldenResultCard({ name, run, result }: GoldenResultCardProps) {
  const { id, question, asUser, answer, error, nuggets, sentences, leaks } = result;
  const label = useLabelling(name, run);
  const nameOf = useNames(asUser !== null && isUid(asUser) ? [asUser] : []);
  return (
    <Card
      title={id}
      description={
        <>
          <bdi className="wrap-anywhere">{question}</bdi>
          {asUser !== null && <span className="text-muted">{` (as ${nameOf(asUser)})`}</span>}
        </>
      }
      actions={<ResultBadges result={result} />}
    >
      {error === null ? (
        <details className="mb-3">
          <summary className="cursor-pointer font-medium">Answer</summary>
          <div className="mt-2 rounded-control bg-sunken p-3">
            <Markdown text={answer === '' ? '(nothing)' : answer} />
          </div>
        </details>
      ) : (
        <p className="text-danger">{`${error.message} (${error.code})`}</p>
      )}
      {leaks.length > 0 && <Leaks leaks={leaks} />}
      {nuggets.length > 0 && (
        <ul aria-label={`Nuggets of ${id}`} className="flex flex-col gap-2">
          {nuggets.map((nugget, at) => (
            <li key={nugget.text} className="flex items-start justify-between gap-3">
              <Nugget nugget={nugget} />
              <Labels
                what={nugget.text}
                yes={{ question: id, nugget: at, verdict: 'found' }}
                no={{ question: id, nugget: at, verdict: 'missing' }}
                onLabel={label}
              />
            </li>
          ))}
        </ul>
      )}
      {sentences.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer font-medium">What its sentences rest on</summary>
          <ul aria-label={`Sentences of ${id}`} className="mt-2 flex flex-col gap-2">
            {sentences.map((sentence, at) => (
              <li
                // Sentences may repeat, and never move.
                // oxlint-disable-next-line react/no-array-index-key
                key={at}
                className="flex items-start justify-between gap-3"
              >
                <Sentence sentence={sentence} />
                {sentence.verdict !== 'unchecked' && (
                  <Labels
                    what={sentence.text}
                    yes={{ question: id, sentence: at, verdict: 'supported' }}
                    no={{ question: id, sentence: at, verdict: 'unsupported' }}
                    onLabel={label}
                  />
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

function ResultBadges({ result }: { readonly result: GoldenResult }) {
  const { mustRefuse, isRefusal, leaks, error } = result;
  if (error !== null) return <Badge tone="danger">No answer</Badge>;
  return (
    <div className="flex flex-wrap gap-1.5">
      {leaks.length > 0 && <Badge tone="danger">Leaks</Badge>}
      {mustRefuse && !isRefusal && <Badge tone="danger">Does not refuse</Badge>}
      {mustRefuse && isRefusal && <Badge tone="good">Refuses</Badge>}
      {!mustRefuse && isRefusal && <Badge tone="warning">Refuses</Badge>}
    </div>
  );
}

function Nugget({ nugget }: { readonly nugget: GoldenNuggetResult }) {
  const { text, importance, isFound, lostAt, by } = nugget;
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={isFound === null ? 'neutral' : isFound ? 'good' : 'danger'}>
          {isFound === null ? 'Hidden' : isFound ? 'Said' : 'Missing'}
        </Badge>
        <bdi className="wrap-anywhere">{text}</bdi>
        {importance === 'vital' && <Badge>Vital</Badge>}
      </div>
      <p className="text-[13px] text-muted">
        {lostAt === null ? `Told by ${BY[by ?? 'text']}.` : LOST[lostAt]}
      </p>
      {isFound !== null && <Way nugget={nugget} />}
    </div>
  );
}

/** How far it came, from the search to a citation. */
function Way({
  nugget: { uids, found, read, by, cited },
}: {
  readonly nugget: GoldenNuggetResult;
}) {
  const steps = [
    { isReached: found, words: ['Found by search', 'Not found by search'] },
    { isReached: read, words: ['Read by the model', 'Not read by the model'] },
    { isReached: by !== null, words: ['In the answer', 'Not in the answer'] },
    // What no node says cannot be cited.
    ...(uids.length === 0 ? [] : [{ isReached: cited, words: ['Cited', 'Not cited'] }]),
  ];
  return (
    <ol aria-label="How far it came" className="flex flex-wrap gap-x-3 text-[13px]">
      {steps.map(({ isReached, words: [yes, no] }) => (
        <li
          key={yes}
          className={`flex items-center gap-1 ${isReached ? 'text-accent-strong' : 'text-muted'}`}
        >
          {isReached ? (
            <Check className="size-3.5" aria-hidden />
          ) : (
            <X className="size-3.5" aria-hidden />
          )}
          {isReached ? yes : no}
        </li>
      ))}
    </ol>
  );
}

const BY = { text: 'its words', citation: 'a citation', judge: 'the judge' } as const;

function Sentence({ sentence }: { readonly sentence: GoldenSentence }) {
  const { text, verdict, citations } = sentence;
  const [tone, word] = VERDICTS[verdict];
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{word}</Badge>
        <bdi className="wrap-anywhere">{text}</bdi>
      </div>
      {citations.map(({ id, uid, quote }) => (
        <p key={id} className="text-[13px] text-muted wrap-anywhere">
          <Link to="/node/$uid" params={{ uid }} className="text-accent underline">
            {`[${id}]`}
          </Link>
          {quote === null ? ' says nothing of it.' : ` says “${quote}”.`}
        </p>
      ))}
    </div>
  );
}

function Leaks({ leaks }: { readonly leaks: readonly GoldenLeak[] }) {
  return (
    <ul
      aria-label="Leaks"
      className="mb-3 flex flex-col gap-1 rounded-control bg-danger-soft p-3 text-danger"
    >
      {leaks.map(({ uid, field, where, text }) => (
        <li key={`${uid} ${field} ${where} ${text}`} className="wrap-anywhere">
          {where === 'answer' ? 'The answer says ' : 'The model was given '}
          {field === null ? 'of ' : `${field} of `}
          <Link to="/node/$uid" params={{ uid }} className="underline">
            the node
          </Link>
          {`: “${text}”`}
        </li>
      ))}
    </ul>
  );
}

interface LabelsProps {
  readonly what: string;
  readonly yes: GoldenLabel;
  readonly no: GoldenLabel;
  readonly onLabel: (label: GoldenLabel) => void;
}

/** What a person says of one verdict. */
function Labels({ what, yes, no, onLabel }: LabelsProps) {
  const { isAllowed } = useChangePermission();
  return (
    <div className="flex shrink-0 gap-1">
      <IconButton
        icon={ThumbsUp}
        size="small"
        label={`I say it is so: ${what}`}
        disabled={!isAllowed}
        onClick={() => onLabel(yes)}
      />
      <IconButton
        icon={ThumbsDown}
        size="small"
        label={`I say it is not: ${what}`}
        disabled={!isAllowed}
        onClick={() => onLabel(no)}
      />
    </div>
  );
}

function useLabelling(name: string, run: number): (label: GoldenLabel) => void {
  const queries = useQueryClient();
  const label = useMutation({
    mutationFn: (one: GoldenLabel) => client.goldenAnswers.label(name, { run, labels: [one] }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [...GOLDEN_KEY, 'report', name, run] });
      toastDone('Your verdict is kept');
    },
    onError: (error) => toastError('Your verdict was not kept', error),
  });
  return (one) => label.mutate(one);
}
