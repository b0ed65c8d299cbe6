import type {
  GoldenAnswers,
  GoldenAnswersChange,
  GoldenNugget,
  GoldenQuestion,
} from '@trellis/contract/shapes/golden-answers.ts';

/** A set as a form has it: lists of UIDs are texts. */
export interface GoldenValues {
  /** Which the values are of; the set may have a newer one meanwhile. */
  version: number;
  description: string;
  questions: QuestionValues[];
}

export interface QuestionValues {
  /** Of the question; `id` is the form's own. */
  questionId: string;
  question: string;
  asUser: string;
  mustRefuse: boolean;
  mustNotReveal: string;
  nuggets: NuggetValues[];
}

export interface NuggetValues {
  text: string;
  importance: GoldenNugget['importance'];
  uids: string;
}

export function newQuestion(number: number): QuestionValues {
  return {
    questionId: `question-${number}`,
    question: '',
    asUser: '',
    mustRefuse: false,
    mustNotReveal: '',
    nuggets: [newNugget()],
  };
}

export function newNugget(): NuggetValues {
  return { text: '', importance: 'vital', uids: '' };
}

/** Why it cannot be the name of a set beside others, which it would replace; true when it can. */
export function goldenNameFault(name: string, others: readonly string[]): true | string {
  if (others.includes(name)) return 'There is a set of this name already.';
  return /^[A-Za-z\d][\w.-]*$/.test(name) || 'Enter letters, digits, “-”, “_” and “.”.';
}

/** An id that no other question has. */
export function nextQuestionId(questions: readonly { readonly id: string }[]): string {
  const taken = new Set(questions.map(({ id }) => id));
  let number = questions.length + 1;
  while (taken.has(`question-${number}`)) number++;
  return `question-${number}`;
}

type Edited = Omit<GoldenAnswers, 'name'>;

export function valuesOf({ version, description, questions }: Edited): GoldenValues {
  return {
    version,
    description,
    questions: questions.map((one) => ({
      questionId: one.id,
      question: one.question,
      asUser: one.asUser ?? '',
      mustRefuse: one.mustRefuse ?? false,
      mustNotReveal: (one.mustNotReveal ?? []).join(', '),
      nuggets: nuggetsOf(one),
    })),
  };
}

/** Of a question of a conversation it is still to be said what its answer must say. */
function nuggetsOf({ nuggets, mustRefuse }: GoldenQuestion): NuggetValues[] {
  if (nuggets.length === 0 && mustRefuse !== true) return [newNugget()];
  return nuggets.map(({ text, importance, uids = [] }) => ({
    text,
    importance,
    uids: uids.join(', '),
  }));
}

export function contentOf({ version, description, questions }: GoldenValues): GoldenAnswersChange {
  return {
    version,
    description,
    questions: questions.map((one) => {
      const asUser = one.asUser.trim();
      const mustNotReveal = uidsIn(one.mustNotReveal);
      return {
        id: one.questionId.trim(),
        question: one.question,
        ...(asUser !== '' && { asUser }),
        nuggets: one.nuggets
          .filter(({ text }) => text.trim() !== '')
          .map(({ text, importance, uids: named }) => {
            const uids = uidsIn(named);
            return { text, importance, ...(uids.length > 0 && { uids }) };
          }),
        ...(one.mustRefuse && { mustRefuse: true }),
        ...(mustNotReveal.length > 0 && { mustNotReveal }),
      };
    }),
  };
}

function uidsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== '');
}
