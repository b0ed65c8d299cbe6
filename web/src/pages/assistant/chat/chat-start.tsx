import { useQuery } from '@tanstack/react-query';
import { MessageCircleQuestionMark } from 'lucide-react';
import { typesQuery } from '../../data/data-queries.ts';
import { firstQuestions } from './first-questions.ts';

const QUESTIONS_OF_NODE = [
  'Summarize this.',
  'What is this connected to, and how?',
  'What else is like this?',
  'What is missing here?',
] as const;

interface ChatStartProps {
  /** The node that is asked about. */
  readonly nodeUid: string | undefined;
  readonly onChoose: (question: string) => void;
  /** Nobody answers, so nothing is offered. */
  readonly isOff: boolean;
}

/** An empty conversation: what the assistant is for, and questions to begin with. */
export function ChatStart({ nodeUid, onChoose, isOff }: ChatStartProps) {
  const types = useQuery({ ...typesQuery, enabled: nodeUid === undefined && !isOff });
  const general = types.isLoading ? [] : firstQuestions(types.data?.types ?? []);
  const questions = nodeUid === undefined ? general : QUESTIONS_OF_NODE;
  return (
    <div className="mb-6">
      <p className="mb-4 text-muted">
        Ask about what is in this workspace. Answers come from what you may see, and name their
        sources.
      </p>
      {!isOff && questions.length > 0 && (
        <ul aria-label="Questions to begin with" className="grid gap-2 sm:grid-cols-2">
          {questions.map((question) => (
            <li key={question} className="flex">
              <button
                type="button"
                onClick={() => onChoose(question)}
                className="flex w-full items-start gap-2 rounded-card border bg-surface px-3 py-2.5 text-left hover:bg-sunken"
              >
                <MessageCircleQuestionMark
                  className="mt-0.5 size-4 shrink-0 text-muted"
                  aria-hidden
                />
                {question}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
