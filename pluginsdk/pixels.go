package pluginsdk

import "oriel.dev/oriel/hostabi"

// The functions of oriel:capture and oriel:ocr look at pixels. In Translate
// they see the observation's frozen frame, if the manifest needs "pixels".

// Capture returns the pixels of a region, or of the whole window for nil.
func Capture(region *hostabi.Region) (hostabi.Image, error) {
	b, err := call(captureWindow, &hostabi.CaptureRequest{Region: region})
	if err != nil {
		return hostabi.Image{}, err
	}
	return hostabi.ParseImage(b)
}

// FindImage says where a picture appears in the window.
func FindImage(r hostabi.FindRequest) ([]hostabi.FoundMatch, error) {
	var reply hostabi.FindReply
	err := callMessage(captureFind, &r, &reply)
	return reply.Matches, err
}

// OCR returns the words that are seen in a region, or in the whole window for
// nil.
func OCR(region *hostabi.Region) ([]hostabi.Word, error) {
	var reply hostabi.OCRReply
	err := callMessage(ocrText, &hostabi.OCRRequest{Region: region}, &reply)
	return reply.Words, err
}
