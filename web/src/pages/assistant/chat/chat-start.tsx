import { MessageCircleQuestionMark } from 'lucide-react';

const QUESTIONS = [
  'What can I find in this workspace?',
  'What is new here, and what does it say?',
  'Find what is known about a subject, and name the sources.',
  'Compare two things, in a list of what is the same and what differs.',
] as const;

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
  const questions = nodeUid === undefined ? QUESTIONS : QUESTIONS_OF_NODE;
  return (
    <div className="mb-6">
      <p className="mb-4 text-muted">
        Ask about what is in this workspace. Answers come from what you may see, and name their
        sources.
      </p>
      {!isOff && (
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
