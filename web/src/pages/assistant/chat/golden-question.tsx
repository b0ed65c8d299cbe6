import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { GoldenAnswersChange } from '@trellis/contract/shapes/golden-answers.ts';
import { ListChecks } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { useViewer } from '../../../api/viewer.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { GOLDEN_KEY } from '../answers/golden-queries.ts';
import { nextQuestionId } from '../answers/golden-values.ts';

/** What is asked in conversations has a set of its own: a click changes none that people made. */
const SET = 'from-chat';
const TRIES_MAX = 3;

interface GoldenQuestionProps {
  readonly question: string;
  /** UID of the user who asked; left out where it is the reader. */
  readonly asUser?: string;
  /** Says what it does, where it stands alone. */
  readonly isLabelled?: true;
}

/** For administrators, who measure answers. */
export function GoldenQuestion({ question, asUser, isLabelled }: GoldenQuestionProps) {
  const viewer = useViewer();
  const queries = useQueryClient();
  const add = useMutation({
    mutationFn: () => addQuestion({ question, asUser }),
    onSuccess: async () => {
      toastDone('The golden question is added', `It is in the set ${SET}.`);
      await queries.invalidateQueries({ queryKey: GOLDEN_KEY });
    },
    onError: (error) => toastError('The golden question was not added', error),
  });
  if (viewer?.isAdmin !== true || question === '') return null;
  if (add.isSuccess) {
    return (
      <Link
        to="/assistant/answers/$name"
        params={{ name: SET }}
        search={{ tab: 'questions' }}
        className="text-[13px] text-accent hover:underline"
        // The button that had the focus is gone.
        ref={(link) => link?.focus()}
      >
        Edit the golden question
      </Link>
    );
  }
  const button = {
    icon: ListChecks,
    size: 'small',
    'aria-busy': add.isPending,
    onClick: () => !add.isPending && add.mutate(),
  } as const;
  const label = 'Make it a golden question';
  return isLabelled === true ? (
    <Button {...button}>{label}</Button>
  ) : (
    <IconButton {...button} label={label} />
  );
}

interface Asked {
  readonly question: string;
  readonly asUser?: string | undefined;
}

/** Adds a question to the set, or leaves the one that is like it. */
async function addQuestion(asked: Asked): Promise<void> {
  for (let tried = 1; ; tried++) {
    const { questions, ...set } = await storedSet();
    const isLike = (one: Asked) => one.question === asked.question && one.asUser === asked.asUser;
    if (questions.some(isLike)) return;
    const added = { ...asked, id: nextQuestionId(questions), nuggets: [] };
    try {
      await client.goldenAnswers.put(SET, { ...set, questions: [...questions, added] });
      return;
    } catch (error) {
      // Somebody else has changed the set meanwhile.
      if (codeOf(error) !== 'version_conflict' || tried >= TRIES_MAX) throw error;
    }
  }
}

async function storedSet(): Promise<GoldenAnswersChange> {
  try {
    const { name: _, ...set } = await client.goldenAnswers.get(SET);
    return set;
  } catch (error) {
    if (codeOf(error) !== 'golden_answers_not_found') throw error;
    return { description: 'Questions of conversations.', questions: [], version: 0 };
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof TrellisError ? error.code : undefined;
}
