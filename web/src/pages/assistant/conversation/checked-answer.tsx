import { isDoubtful } from '@trellis/client/answer-words.ts';
import type { ChatCitation } from '@trellis/contract/shapes/chat.ts';
import type { AnswerSupport } from '@trellis/contract/shapes/support.ts';
import { type ReactNode, useMemo } from 'react';
import { useNames } from '../../../api/names.ts';
import { Markdown } from '../../../ui/markdown.tsx';
import { CitationLink, type SourceLink, SourceList } from './citations.tsx';
import { MarkedSentence } from './sentence-evidence.tsx';
import { SupportList } from './support-list.tsx';

interface CheckedAnswerProps {
  readonly text: string;
  readonly citations: readonly ChatCitation[];
  readonly support: AnswerSupport;
  readonly link: SourceLink;
  /** Between the text and its sources. */
  readonly children?: ReactNode;
}

/** The text of an answer, with its doubtful sentences marked, and what it rests on. */
export function CheckedAnswer(props: CheckedAnswerProps) {
  const { text, citations, support, link, children } = props;
  const titleOf = useNames(citations.map(({ uid }) => uid));
  const doubtful = useMemo(() => support.support.filter(isDoubtful), [support.support]);
  const citation = (number: number): ReactNode => {
    const cited = citations.find(({ id }) => id === number);
    return cited && <CitationLink link={link} citation={cited} title={titleOf(cited.uid)} />;
  };
  const passage = (at: number, words: ReactNode, isEnd: boolean): ReactNode => {
    const sentence = doubtful[at];
    if (sentence === undefined) return words;
    return <MarkedSentence {...{ sentence, link, titleOf, isEnd }}>{words}</MarkedSentence>;
  };
  return (
    <>
      {text !== '' && (
        <Markdown text={text} citation={citation} passages={doubtful} passage={passage} />
      )}
      {children}
      <SourceList link={link} citations={citations} titleOf={titleOf} />
      <SupportList support={support} link={link} titleOf={titleOf} />
    </>
  );
}
